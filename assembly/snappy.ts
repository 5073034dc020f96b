/**
 * Compresses to Snappy's raw block format, which every Parquet reader supports; up to two mebibytes at a
 * time. In WebAssembly for the reasons given in `deflate.ts`. The host writes the size at the start of a
 * block.
 *
 * Most of the time for text goes into mispredicted branches, a few per copy. So branches are avoided where
 * possible: short literals and copies are written at full width, and the next write overwrites the excess.
 */

/**
 * Last position of each hash of four bytes, by its low sixteen bits, which give the distance. The memory
 * behind it is shared with the host.
 */
const PLACES: usize = 0x0400
const HASH_BITS: u32 = 14
export const INPUT: usize = 0x20000
/** A Parquet page is closed by the value that takes it past one mebibyte, and a text has at most one. */
export const INPUT_BYTES: usize = 0x210000
export const OUTPUT: usize = INPUT + INPUT_BYTES

/** The search ends this far before the input does, so that sixteen bytes can be read at any position. */
const MARGIN: usize = 20
/** After 2^4 misses in a row the search begins to skip, to save time on incompressible data. */
const SKIP_BITS: u32 = 4
/** Literals up to this many bytes are written without a loop. */
const SHORT_LITERAL: usize = 32
const LONGEST_COPY: usize = 64

function placeOf(word: u64): usize {
  return PLACES + (<usize>((<u32>word * 0x9e3779b1) >> (32 - HASH_BITS)) << 1)
}

function putLongLiteral(out: usize, from: usize, size: usize): usize {
  const last = size - 1
  let to = out
  if (last < 60) store<u8>(to++, <u8>(last << 2))
  else if (last < 256) {
    store<u16>(to, <u16>((60 << 2) | (last << 8)))
    to += 2
  } else if (last < 65536) {
    store<u8>(to, 61 << 2)
    store<u16>(to + 1, <u16>last)
    to += 3
  } else {
    store<u32>(to, (62 << 2) | (<u32>last << 8))
    to += 4
  }
  memory.copy(to, from, size)
  return to + size
}

/** Writes pieces of up to 64 bytes. None may be shorter than four, so the last but one is made smaller. */
function putLongCopy(out: usize, offset: usize, size: usize): usize {
  let to = out
  let left = size
  while (left > 0) {
    const piece: usize = left >= 68 ? 64 : left > 64 ? 60 : left
    store<u8>(to, <u8>(2 | ((piece - 1) << 2)))
    store<u16>(to + 1, <u16>offset)
    to += 3
    left -= piece
  }
  return to
}

/** Number of equal bytes at `here` and `there`; the first eight are known to be equal. */
function matchLength(there: usize, here: usize, end: usize): usize {
  let length: usize = 8
  while (here + length + 8 <= end) {
    const difference = load<u64>(there + length) ^ load<u64>(here + length)
    if (difference != 0) return length + <usize>(ctz(difference) >> 3)
    length += 8
  }
  while (here + length < end && load<u8>(there + length) == load<u8>(here + length)) length++
  return length
}

/**
 * Compresses the first `size` bytes at INPUT to literals and copies at OUTPUT; returns the compressed size.
 */
export function compress(size: usize): usize {
  const end = INPUT + size
  const limit = size > MARGIN ? end - MARGIN : INPUT
  memory.fill(PLACES, 0, 2 << <usize>HASH_BITS)
  let out = OUTPUT
  let literal = INPUT
  let here = INPUT
  let skip: u32 = 1 << SKIP_BITS
  while (here < limit) {
    const word = load<u64>(here)
    const place = placeOf(word)
    // Zero means itself, or 65,536 bytes before; a short copy does not reach further back.
    const offset = (here - <usize>load<u16>(place)) & 0xffff
    const there = here - offset
    store<u16>(place, <u16>here)
    const difference = load<u64>(there) ^ word
    if (<u32>difference != 0 || there < INPUT || offset == 0) {
      here += skip++ >> SKIP_BITS
      continue
    }
    const literals = here - literal
    if (literals > SHORT_LITERAL) out = putLongLiteral(out, literal, literals)
    else if (literals > 0) {
      store<u8>(out, <u8>((literals - 1) << 2))
      v128.store(out + 1, v128.load(literal))
      if (literals > 16) v128.store(out + 17, v128.load(literal + 16))
      out += literals + 1
    }
    const length = difference != 0 ? <usize>(ctz(difference) >> 3) : matchLength(there, here, end)
    if (length > LONGEST_COPY) out = putLongCopy(out, offset, length)
    else {
      const isNear = <usize>(length < 12) & <usize>(offset < 2048)
      const near: usize = 1 | ((length - 4) << 2) | ((offset >> 8) << 5) | ((offset & 255) << 8)
      const far: usize = 2 | ((length - 1) << 2) | (offset << 8)
      store<u32>(out, <u32>(isNear ? near : far))
      out += 3 - isNear
    }
    here += length
    literal = here
    skip = 1 << SKIP_BITS
    // The next match often begins at the end of this one.
    store<u16>(placeOf(load<u64>(here - 1)), <u16>(here - 1))
  }
  if (literal < end) out = putLongLiteral(out, literal, end - literal)
  return out - OUTPUT
}
