/**
 * 64-bit fingerprints of URLs, as two numbers of 32 bits: a BigInt per link would cost more than the hash.
 * Everything that recognises a URL (seen-set, sent-cache, journal) uses this function, or its copy in
 * `assembly/fingerprint.ts`.
 */

/** Low and high half of the last fingerprint; valid until the next call. */
export const fingerprint = { low: 0, high: 0 }

/** Start values of the two lanes. */
const LANE_A = 0x9e3779b9 | 0
const LANE_B = 0x85ebca6b | 0

/**
 * Writes the fingerprint of `text` to `fingerprint`. Two multiply-rotate lanes over UTF-16 units, crossed at
 * the end.
 */
export function takeFingerprint(text: string): void {
  let a = LANE_A
  let b = LANE_B
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    a = stepA(a, unit)
    b = stepB(b, unit, a)
  }
  finish(a, b, text.length)
}

function stepA(a: number, unit: number): number {
  const product = Math.imul(a ^ unit, 0xcc9e2d51)
  return (product << 15) | (product >>> 17)
}

function stepB(b: number, unit: number, a: number): number {
  const product = Math.imul(b ^ unit, 0x1b873593)
  return (((product << 13) | (product >>> 19)) + a) | 0
}

/** Writes the fingerprint of a text of `length` units whose lanes ended at `a` and `b`. */
function finish(a: number, b: number, length: number): void {
  let low = a ^ length
  let high = (b + low) | 0
  low = mix(low)
  high = mix(high ^ low)
  low = (low + high) | 0
  fingerprint.low = mix(low ^ 0x27d4eb2f) >>> 0
  fingerprint.high = high >>> 0
}

function mix(value: number): number {
  let h = value
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return h ^ (h >>> 16)
}
