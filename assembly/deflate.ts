/**
 * Fast deflate (RFC 1951) for records of up to a megabyte: one search for a match at each position, no lazy
 * matching, and a given Huffman code instead of one per record. In WebAssembly eight bytes can be compared,
 * shifted and written at once, which halves the time of the same loop in JavaScript.
 * `src/data/store/compress/deflate/` makes the code and is the host.
 */

/** Positions in memory; the host fills the tables. An entry of a code is `bits | number of bits << 24`. */
export const LITERALS: usize = 0x0400
/** By length of the match, extra bits included. */
export const LENGTHS: usize = 0x0900
/** Number of uses of each symbol, if the host asks for it. */
export const LITERAL_COUNTS: usize = 0x0e00
export const DISTANCE_COUNTS: usize = 0x1300
/** By length of the match. */
export const LENGTH_SYMBOLS: usize = 0x1400
/**
 * Symbol of (distance - 1) below 256; of (distance - 1) >> 7 at 256 positions further for larger distances.
 */
export const DISTANCE_SYMBOLS: usize = 0x1600
/** By the same index: `bits | smallest distance << 16 | number of bits << 32 | with the extra bits << 40`. */
export const DISTANCES: usize = 0x2000
/** Last position of each hash of five bytes, from the start of the input. */
const PLACES: usize = 0x4000
const HASH_BITS: u64 = 13
/**
 * A match has at least five bytes: one of four saves little and takes longer. So three of eight bytes are
 * shifted out.
 */
const BEYOND: u64 = 24
export const INPUT: usize = 0x10000
export const INPUT_BYTES: usize = 0x100000
export const OUTPUT: usize = INPUT + INPUT_BYTES

const END_OF_BLOCK: usize = 256
const MATCH_MAX: usize = 258
const WINDOW: usize = 32768
/** The search ends this far before the input does, so that thirteen bytes can be compared at any position. */
const MARGIN: usize = 12
/**
 * Positions in records up to this size take two bytes: the smaller table leaves more of the cache to others.
 */
const SMALL: usize = 0x10000

function placeOf<Place>(word: u64): usize {
  return PLACES + (<usize>(((word << BEYOND) * 0x9e3779b185ebca87) >> (64 - HASH_BITS)) << alignof<Place>())
}

function count(table: usize, symbol: usize): void {
  const place = table + (symbol << 2)
  store<u32>(place, load<u32>(place) + 1)
}

function countMatch(length: usize, distanceSymbol: usize): void {
  count(LITERAL_COUNTS, 257 + <usize>load<u8>(LENGTH_SYMBOLS + length))
  count(DISTANCE_COUNTS, distanceSymbol)
}

/** Number of equal bytes at `here` and `there`; the first thirteen are known to be equal. */
function matchLength(there: usize, here: usize, end: usize): usize {
  const max = min(MATCH_MAX, end - here)
  let length: usize = 13
  while (length + 8 <= max) {
    const difference = load<u64>(there + length) ^ load<u64>(here + length)
    if (difference != 0) return length + <usize>(ctz(difference) >> 3)
    length += 8
  }
  while (length < max && load<u8>(there + length) == load<u8>(here + length)) length++
  return length
}

/**
 * Deflates the first `size` bytes at INPUT into one block at OUTPUT; returns the size of the block. The host
 * has written the block's header: `headerBytes` whole bytes, then `headerBits` more bits, which are in
 * `last`.
 *
 * Pending output bits are kept in local variables, because those become registers and globals do not. Each
 * `flush` below writes the whole bytes and keeps fewer than eight bits.
 */
export function deflate(size: usize, headerBytes: usize, last: u32, headerBits: u32, counts: bool): usize {
  return size <= SMALL
    ? deflateWith<u16>(size, headerBytes, last, headerBits, counts)
    : deflateWith<u32>(size, headerBytes, last, headerBits, counts)
}

function deflateWith<Place>(
  size: usize,
  headerBytes: usize,
  last: u32,
  headerBits: u32,
  counts: bool,
): usize {
  const end = INPUT + size
  const limit = size > MARGIN ? end - MARGIN : INPUT
  let out = OUTPUT + headerBytes
  let bits: u64 = last
  let bitCount: u64 = headerBits
  memory.fill(PLACES, 0, sizeof<Place>() << <usize>HASH_BITS)
  let here = INPUT
  while (here < limit) {
    const word = load<u64>(here)
    const place = placeOf<Place>(word)
    const there = <usize>load<Place>(place) + INPUT
    store<Place>(place, <Place>(here - INPUT))
    // An empty entry means the start of the input, where the first byte would match itself.
    if ((load<u64>(there) ^ word) << BEYOND != 0 || here - there - 1 >= WINDOW) {
      const symbol = <usize>word & 255
      const entry = load<u32>(LITERALS + (symbol << 2))
      bits |= <u64>(entry & 0xffffff) << bitCount
      bitCount += entry >> 24
      if (counts) count(LITERAL_COUNTS, symbol)
      here++
      if (bitCount > 48) {
        store<u64>(out, bits)
        out += <usize>(bitCount >> 3)
        bits >>= bitCount & 56
        bitCount &= 7
      }
      continue
    }
    store<u64>(out, bits)
    out += <usize>(bitCount >> 3)
    bits >>= bitCount & 56
    bitCount &= 7
    const difference = load<u64>(there + 5) ^ load<u64>(here + 5)
    const length = difference != 0 ? 5 + <usize>(ctz(difference) >> 3) : matchLength(there, here, end)
    const distance = here - there
    const past = distance - 1
    const spot = past < 256 ? past : 256 + (past >> 7)
    const lengthEntry = load<u32>(LENGTHS + (length << 2))
    bits |= <u64>(lengthEntry & 0xffffff) << bitCount
    bitCount += lengthEntry >> 24
    const entry = load<u64>(DISTANCES + (spot << 3))
    const extra = (<u64>distance - ((entry >> 16) & 0xffff)) << ((entry >> 32) & 255)
    bits |= ((entry & 0xffff) | extra) << bitCount
    bitCount += entry >> 40
    store<u64>(out, bits)
    out += <usize>(bitCount >> 3)
    bits >>= bitCount & 56
    bitCount &= 7
    if (counts) countMatch(length, <usize>load<u8>(DISTANCE_SYMBOLS + spot))
    here += length
    // The next match often begins at the end of this one.
    store<Place>(placeOf<Place>(load<u64>(here - 1)), <Place>(here - 1 - INPUT))
  }
  for (; here <= end; here++) {
    const symbol = here < end ? <usize>load<u8>(here) : END_OF_BLOCK
    const entry = load<u32>(LITERALS + (symbol << 2))
    bits |= <u64>(entry & 0xffffff) << bitCount
    bitCount += entry >> 24
    if (counts) count(LITERAL_COUNTS, symbol)
    store<u64>(out, bits)
    out += <usize>(bitCount >> 3)
    bits >>= bitCount & 56
    bitCount &= 7
  }
  if (bitCount > 0) store<u8>(out++, <u8>bits)
  return out - OUTPUT
}
