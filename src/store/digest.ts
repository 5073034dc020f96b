import { hash } from 'node:crypto'

// Twenty bytes are sixteen groups of ten bits: one look-up yields two base32 letters.
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
const CODES = Uint8Array.from(LETTERS, letter => letter.charCodeAt(0))
const PAIRS = Array.from({ length: 1024 }, (_, bits) => LETTERS[bits >> 5] + LETTERS[bits & 31])

export const DIGEST_CHARS = 32

/** Writes the digest of `bytes`, without the name of its algorithm, to `target` from `at` on. */
export function writeSha1(bytes: Uint8Array, target: Uint8Array, at: number): void {
  const sum = hash('sha1', bytes, 'binary')
  let bits = 0
  let bitCount = 0
  let to = at
  for (let i = 0; i < 20; i++) {
    bits = ((bits << 8) | sum.charCodeAt(i)) & 0xfff
    for (bitCount += 8; bitCount >= 5; bitCount -= 5) target[to++] = CODES[(bits >> (bitCount - 5)) & 31]
  }
}

/** `sha1:BASE32`, as in `WARC-Payload-Digest` and `WARC-Block-Digest`. */
export function sha1Digest(bytes: Uint8Array): string {
  // A string of byte values costs half of what a buffer does.
  const sum = hash('sha1', bytes, 'binary')
  let text = 'sha1:'
  for (let i = 0; i < 20; i += 5) {
    const middle = sum.charCodeAt(i + 2)
    const high = (sum.charCodeAt(i) << 12) | (sum.charCodeAt(i + 1) << 4) | (middle >> 4)
    const low = ((middle & 15) << 16) | (sum.charCodeAt(i + 3) << 8) | sum.charCodeAt(i + 4)
    text += PAIRS[high >> 10] + PAIRS[high & 1023] + PAIRS[low >> 10] + PAIRS[low & 1023]
  }
  return text
}

/** Digest of an exchange's payload (dechunked, still content-encoded): what duplicates are recognised by. */
export function payloadDigest(payload: Uint8Array): string {
  return sha1Digest(payload)
}
