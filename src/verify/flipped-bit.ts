/**
 * CRC-32 is linear: if two files differ in one bit, the difference of their checksums depends only on the
 * distance of that bit from the end. So the checksum of the sound file locates a flipped bit.
 */

const POLYNOMIAL = 0xedb88320

/** The number (byte * 8 + bit) of the flipped bit; null if no single bit explains `difference`. */
export function flippedBit(difference: number, bytes: number): number | null {
  const wanted = difference >>> 0
  // The difference made by the last bit of the file.
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
