import { hash } from 'node:crypto'

// Twenty bytes are sixteen groups of ten bits: one look-up yields two base32 letters.
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
const PAIRS = Array.from({ length: 1024 }, (_, bits) => LETTERS[bits >> 5] + LETTERS[bits & 31])

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
