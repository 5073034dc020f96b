/**
 * 64-bit fingerprints of URLs: two 32-bit lanes kept as a pair of numbers, because a BigInt per link costs more
 * than the hash itself. Everything that must recognise a URL (seen-set, sent-cache, journal) uses this one function.
 */

/** Low and high half of the last fingerprint taken; read them at once, before the next call. */
export const fingerprint = { low: 0, high: 0 }

/** Writes the fingerprint of `text` to `fingerprint`. Two multiply-rotate lanes over UTF-16 units, crossed at the end. */
export function takeFingerprint(text: string): void {
  let a = 0x9e3779b9 | 0
  let b = 0x85ebca6b | 0
  const length = text.length
  for (let i = 0; i < length; i++) {
    const unit = text.charCodeAt(i)
    a = Math.imul(a ^ unit, 0xcc9e2d51)
    a = (a << 15) | (a >>> 17)
    b = Math.imul(b ^ unit, 0x1b873593)
    b = (b << 13) | (b >>> 19)
    b = (b + a) | 0
  }
  a ^= length
  b = (b + a) | 0
  a = mix(a)
  b = mix(b ^ a)
  a = (a + b) | 0
  fingerprint.low = mix(a ^ 0x27d4eb2f) >>> 0
  fingerprint.high = b >>> 0
}

function mix(value: number): number {
  let h = value
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return h ^ (h >>> 16)
}
