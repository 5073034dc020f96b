/**
 * The checksum of two pieces from the checksums of each, without their bytes. A checksum is a polynomial over
 * GF(2) modulo that of CRC-32; n further bytes multiply it by x^8n.
 */
import type { Crc32 } from './file-digest.js'

/** In the order of the bits of a checksum: the highest bit is the coefficient of x^0. */
const POLYNOMIAL = 0xedb88320
const X = 0x40000000
const BITS = 32

/** x to the powers 1, 2, 4, 8, ... After 32 of them they repeat. */
const POWERS = new Int32Array(BITS)
POWERS[0] = X
for (let i = 1; i < BITS; i++) POWERS[i] = product(POWERS[i - 1], POWERS[i - 1])

export function joinCrc32(first: Crc32, second: Crc32, secondBytes: number): Crc32 {
  let sum = first
  // x^8 is the shift by one byte.
  for (let bytes = secondBytes, power = 3; bytes > 0; bytes = Math.floor(bytes / 2), power++)
    if (bytes % 2 === 1) sum = product(sum, POWERS[power % BITS])
  return (sum ^ second) >>> 0
}

function product(a: number, b: number): number {
  let sum = 0
  let multiple = b
  for (let rest = a | 0; rest !== 0; rest <<= 1) {
    if (rest < 0) sum ^= multiple
    multiple = (multiple >>> 1) ^ (multiple & 1 ? POLYNOMIAL : 0)
  }
  return sum
}
