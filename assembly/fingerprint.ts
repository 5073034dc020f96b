/** The steps of a fingerprint, as in `src/model/bytes/fingerprint.ts`. */
export const LANE_A: u32 = 0x9e3779b9
export const LANE_B: u32 = 0x85ebca6b

export function stepA(a: u32, byte: u32): u32 {
  return rotl((a ^ byte) * 0xcc9e2d51, 15)
}

export function stepB(b: u32, byte: u32, a: u32): u32 {
  return rotl((b ^ byte) * 0x1b873593, 13) + a
}

export function mix(value: u32): u32 {
  let h = value
  h = (h ^ (h >>> 16)) * 0x85ebca6b
  h = (h ^ (h >>> 13)) * 0xc2b2ae35
  return h ^ (h >>> 16)
}
