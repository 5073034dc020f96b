/**
 * Snappy's raw block format, the one codec every Parquet reader has, for up to two mebibytes at a time. AssemblyScript,
 * for the reasons given in `deflate.ts`. The size that a block begins with is the host's to write.
 */

/** Last place of each hash of five bytes; the host sees only what follows. */
const PLACES: usize = 0x0400
const HASH_BITS: u64 = 14
/** Five bytes make a match: those of four, which are possible, cost more time and more bytes. So three of eight are shifted out. */
const BEYOND: u64 = 24
export const INPUT: usize = 0x20000
/** A Parquet page is closed by the value that takes it past one mebibyte, and a text has one at most. */
export const INPUT_BYTES: usize = 0x210000
export const OUTPUT: usize = INPUT + INPUT_BYTES

/** Matches reach back this far: more would need the copies of five bytes that no encoder writes. */
const WINDOW: usize = 65535
/** The search ends here before the input does, so that sixteen bytes can be read from anywhere. */
const MARGIN: usize = 20
/** After 2^5 misses in a row the search begins to skip: what does not compress is not searched byte by byte. */
const SKIP_BITS: u32 = 5

let out: usize = 0

function placeOf(word: u64): usize {
  return PLACES + (<usize>(((word << BEYOND) * 0x9e3779b185ebca87) >> (64 - HASH_BITS)) << 2)
}

function putLiteral(from: usize, size: usize): void {
  const last = size - 1
  if (last < 60) store<u8>(out++, <u8>(last << 2))
  else if (last < 256) {
    store<u16>(out, <u16>((60 << 2) | (last << 8)))
    out += 2
  } else if (last < 65536) {
    store<u8>(out, 61 << 2)
    store<u16>(out + 1, <u16>last)
    out += 3
  } else {
    store<u32>(out, (62 << 2) | (<u32>last << 8))
    out += 4
  }
  // Sixteen bytes, whatever their number: the next write covers what is too much.
  if (size <= 16) {
    store<u64>(out, load<u64>(from))
    store<u64>(out + 8, load<u64>(from + 8))
  } else memory.copy(out, from, size)
  out += size
}

/** In pieces of up to 64 bytes; none may be shorter than four, so the one before the last is made smaller. */
function putCopy(offset: usize, size: usize): void {
  let left = size
  if (left < 12 && offset < 2048) {
    store<u16>(out, <u16>(1 | ((left - 4) << 2) | ((offset >> 8) << 5) | ((offset & 255) << 8)))
    out += 2
    return
  }
  while (left > 0) {
    const piece: usize = left >= 68 ? 64 : left > 64 ? 60 : left
    store<u8>(out, <u8>(2 | ((piece - 1) << 2)))
    store<u16>(out + 1, <u16>offset)
    out += 3
    left -= piece
  }
}

/** How many bytes from `here` on equal those from `there` on; the first five do. */
function matchLength(there: usize, here: usize, end: usize): usize {
  let length: usize = 5
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
  out = OUTPUT
  memory.fill(PLACES, 0, 4 << <usize>HASH_BITS)
  let literal = INPUT
  let here = INPUT
  let skip: u32 = 1 << SKIP_BITS
  while (here < limit) {
    const word = load<u64>(here)
    const place = placeOf(word)
    const there = <usize>load<u32>(place)
    store<u32>(place, <u32>here)
    if ((load<u64>(there) ^ word) << BEYOND != 0 || here - there > WINDOW) {
      here += skip++ >> SKIP_BITS
      continue
    }
    if (here > literal) putLiteral(literal, here - literal)
    const length = matchLength(there, here, end)
    putCopy(here - there, length)
    here += length
    literal = here
    skip = 1 << SKIP_BITS
    // The end of a match is a likely start of the next.
    store<u32>(placeOf(load<u64>(here - 1)), <u32>(here - 1))
  }
  if (literal < end) putLiteral(literal, end - literal)
  return out - OUTPUT
}
