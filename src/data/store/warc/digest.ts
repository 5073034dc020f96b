import { hash } from 'node:crypto'

const CODES = Uint8Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZ234567', letter => letter.charCodeAt(0))

export const DIGEST_CHARS = 32

/** Writes the digest of `bytes`, without the name of its algorithm, to `target` from `at` on. */
export function writeSha1(bytes: Uint8Array, target: Uint8Array, at: number): void {
  // A binary string takes half the time of a buffer.
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
  writeSha1(bytes, letters, 0)
  return `sha1:${letters.latin1Slice(0, DIGEST_CHARS)}`
}

const letters = Buffer.alloc(DIGEST_CHARS)

/** Digest of an exchange's payload (dechunked, still content-encoded), which identifies duplicates. */
export function payloadDigest(payload: Uint8Array): string {
  return sha1Digest(payload)
}
