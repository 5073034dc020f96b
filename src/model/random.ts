/** Port: the only source of randomness. */
export interface Random {
  /** A number in [0, 1). */
  next(): number
  /** `count` unpredictable bytes for identifiers (predictable in the simulator). */
  bytes(count: number): Uint8Array
}

/** A seeded generator (mulberry32) for repeatable runs. Not for secrets. */
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

export const UUID_CHARS = 36

const HEX = Uint8Array.from('0123456789abcdef', digit => digit.charCodeAt(0))
const DASH = 0x2d

/** A version 4 UUID. */
export function uuid(random: Random): string {
  const text = Buffer.alloc(UUID_CHARS)
  writeUuid(random, text)
  return text.toString('latin1')
}

/** Writes a version 4 UUID to the start of `target`. */
export function writeUuid(random: Random, target: Uint8Array): void {
  const bytes = random.bytes(16)
  bytes[6] = (bytes[6] & 0x0f) | 0x40
  bytes[8] = (bytes[8] & 0x3f) | 0x80
  let at = 0
  for (let i = 0; i < 16; i++) {
    if (i === 4 || i === 6 || i === 8 || i === 10) target[at++] = DASH
    target[at++] = HEX[bytes[i] >> 4]
    target[at++] = HEX[bytes[i] & 15]
  }
}
