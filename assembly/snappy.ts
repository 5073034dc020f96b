/**
 * Snappy's raw block format, the one codec every Parquet reader has, for up to two mebibytes at a time.
 * AssemblyScript, for the reasons given in `deflate.ts`. The size that a block begins with is the host's to
 * write.
 *
 * What a text costs is the steps that a processor cannot foresee, a few for every copy. So what can be chosen
 * without a step is: short literals and copies are written whole whatever their size, and the next write
 * covers what is too much.
 */

/**
 * Last place of each hash of four bytes, by its low sixteen bits: the distance follows from them. The host
 * sees only what follows.
 */
const PLACES: usize = 0x0400
const HASH_BITS: u32 = 14
export const INPUT: usize = 0x20000
/** A Parquet page is closed by the value that takes it past one mebibyte, and a text has one at most. */
export const INPUT_BYTES: usize = 0x210000
export const OUTPUT: usize = INPUT + INPUT_BYTES

/** The search ends here before the input does, so that sixteen bytes can be read from anywhere. */
const MARGIN: usize = 20
/**
 * After 2^4 misses in a row the search begins to skip: what does not compress is not searched byte by byte.
 */
const SKIP_BITS: u32 = 4
/** Literals of up to this many bytes are written without a loop. */
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

/** In pieces of up to 64 bytes; none may be shorter than four, so the one before the last is made smaller. */
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

/** How many bytes from `here` on equal those from `there` on; the first eight do. */
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

/** Compresses the first `size` bytes at INPUT to literals and copies at OUTPUT; returns the size there. */
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
    // One of zero is a match with itself, and of 65,536 bytes before: further back is out of reach of a short
    // copy.
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
    // The end of a match is a likely start of the next.
    store<u16>(placeOf(load<u64>(here - 1)), <u16>(here - 1))
  }
  if (literal < end) out = putLongLiteral(out, literal, end - literal)
  return out - OUTPUT
}
