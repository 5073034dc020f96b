/**
 * CRC-32 is linear: the sums of two files that differ in one bit differ by a value that depends only on how
 * far the bit is from the end. So a single flipped bit can be found from the sum of the sound file.
 */

const POLYNOMIAL = 0xedb88320

/**
 * The number of the bit (byte * 8 + bit) in a file of `bytes` bytes; null when no single bit explains
 * `difference`.
 */
export function flippedBit(difference: number, bytes: number): number | null {
  const wanted = difference >>> 0
  // What the last bit of a byte that is followed by nothing changes.
  let change = POLYNOMIAL
  for (let fromEnd = 0; fromEnd < bytes * 8; fromEnd++) {
    if (change === wanted) {
      const byte = bytes - 1 - (fromEnd >>> 3)
      return byte * 8 + (7 - (fromEnd & 7))
    }
    change = ((change & 1) === 1 ? (change >>> 1) ^ POLYNOMIAL : change >>> 1) >>> 0
  }
  return null
}
