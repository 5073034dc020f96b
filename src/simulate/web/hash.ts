/** Hashes of (seed, site, page, purpose): the generated web is computed from them and stores nothing. */

/** A salt for each kind of decision, so that decisions about one page are independent. */
export const Purpose = {
  sizeOrder: 1,
  topic: 2,
  section: 3,
  path: 4,
  moved: 5,
  links: 6,
  text: 7,
  robots: 8,
  latency: 9,
  jitter: 10,
  mishap: 11,
  change: 12,
  validator: 13,
  paragraph: 14,
  framing: 15,
} as const

function scramble(value: number): number {
  let h = value
  h = Math.imul(h ^ (h >>> 16), 0x7feb352d)
  h = Math.imul(h ^ (h >>> 15), 0x846ca68b)
  return h ^ (h >>> 16)
}

/** 32 bits, unsigned. */
export function hashOf(seed: number, purpose: number, a: number, b: number): number {
  let h = scramble(seed ^ Math.imul(purpose, 0x9e3779b1))
  h = scramble(h ^ Math.imul(a, 0x85ebca77))
  return scramble(h ^ Math.imul(b, 0xc2b2ae3d)) >>> 0
}

export function hashText(seed: number, purpose: number, text: string): number {
  let h = seed ^ Math.imul(purpose, 0x9e3779b1)
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193)
  return scramble(h) >>> 0
}

/** A 32-bit hash as a number in [0, 1). */
export function unit(hash: number): number {
  return hash / 4_294_967_296
}
