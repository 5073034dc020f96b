/** Port: the only source of chance. */
export interface Random {
  /** A number in [0, 1). */
  next(): number
  /** `count` unpredictable bytes for identifiers (predictable in the simulator). */
  bytes(count: number): Uint8Array
}

/** A seeded generator (mulberry32): same seed, same history. Not for secrets. */
export class SeededRandom implements Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let t = this.#state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }

  bytes(count: number): Uint8Array {
    const bytes = new Uint8Array(count)
    for (let i = 0; i < count; i++) bytes[i] = Math.floor(this.next() * 256)
    return bytes
  }
}

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

/** A version 4 UUID out of 16 chosen bytes. */
export function uuid(random: Random): string {
  const bytes = random.bytes(16)
  bytes[6] = (bytes[6] & 0x0f) | 0x40
  bytes[8] = (bytes[8] & 0x3f) | 0x80
  let text = ''
  for (let i = 0; i < 16; i++) {
    if (i === 4 || i === 6 || i === 8 || i === 10) text += '-'
    text += HEX[bytes[i]]
  }
  return text
}
