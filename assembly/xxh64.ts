/**
 * XXH64 with seed 0, the checksum at the end of a zstd frame. In WebAssembly, because JavaScript has no fast
 * product of two 64-bit numbers. Input comes in pieces: `begin`, `add` for each, `end`; all but the last are
 * full.
 */
export const INPUT: usize = 0x10000
export const INPUT_BYTES: usize = 0x40000

const P1: u64 = 0x9e3779b185ebca87
const P2: u64 = 0xc2b2ae3d27d4eb4f
const P3: u64 = 0x165667b19e3779f9
const P4: u64 = 0x85ebca77c2b2ae63
const P5: u64 = 0x27d4eb2f165667c5

let a: u64 = 0
let b: u64 = 0
let c: u64 = 0
let d: u64 = 0
let total: u64 = 0

export function begin(): void {
  a = P1 + P2
  b = P2
  c = 0
  d = 0 - P1
  total = 0
}

function round(lane: u64, word: u64): u64 {
  return rotl<u64>(lane + word * P2, 31) * P1
}

/** Adds stripes of 32 bytes; `end` takes the remainder of the last piece. */
export function add(size: usize): void {
  total += size
  const last = INPUT + (size & ~31)
  for (let at = INPUT; at < last; at += 32) {
    a = round(a, load<u64>(at))
    b = round(b, load<u64>(at, 8))
    c = round(c, load<u64>(at, 16))
    d = round(d, load<u64>(at, 24))
  }
}

function merged(hash: u64, lane: u64): u64 {
  return (hash ^ round(0, lane)) * P1 + P4
}

/** The lower half of the hash; `size` is that of the last piece. */
export function end(size: usize): u32 {
  let hash = P5
  if (total >= 32) {
    hash = rotl<u64>(a, 1) + rotl<u64>(b, 7) + rotl<u64>(c, 12) + rotl<u64>(d, 18)
    hash = merged(merged(merged(merged(hash, a), b), c), d)
  }
  hash += total
  let at = INPUT + (size & ~31)
  const last = INPUT + size
  for (; at + 8 <= last; at += 8) hash = rotl<u64>(hash ^ round(0, load<u64>(at)), 27) * P1 + P4
  if (at + 4 <= last) {
    hash = rotl<u64>(hash ^ (<u64>load<u32>(at) * P1), 23) * P2 + P3
    at += 4
  }
  for (; at < last; at++) hash = rotl<u64>(hash ^ (<u64>load<u8>(at) * P5), 11) * P1
  hash = (hash ^ (hash >> 33)) * P2
  hash = (hash ^ (hash >> 29)) * P3
  return <u32>(hash ^ (hash >> 32))
}
