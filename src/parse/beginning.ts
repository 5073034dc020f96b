import { LANE_A, LANE_B, stepA, stepB } from '../model/fingerprint.js'

/** What many links begin with: its bytes in a buffer with room for the rest, and where the fingerprint's lanes stand. */
export class Beginning {
  readonly bytes: Buffer
  length = 0
  a = LANE_A
  b = LANE_B

  constructor(room: number) {
    this.bytes = Buffer.allocUnsafe(room)
  }

  set(text: string): void {
    this.length = this.bytes.write(text, 'latin1')
    this.take(this.bytes, this.length)
  }

  /** Becomes the first `length` bytes of `from`. */
  take(from: Uint8Array, length: number): void {
    this.length = length
    this.a = LANE_A
    this.b = LANE_B
    for (let i = 0; i < length; i++) {
      const c = from[i]!
      this.bytes[i] = c
      this.a = stepA(this.a, c)
      this.b = stepB(this.b, c, this.a)
    }
  }
}

export const HTTP = new Beginning(16)
HTTP.set('http://')
export const HTTPS = new Beginning(16)
HTTPS.set('https://')

/** Whether the bytes at `at` begin with a scheme, in letters of any case. */
export function begins(bytes: Uint8Array, at: number, scheme: Beginning): boolean {
  for (let i = 0; i < scheme.length; i++) {
    const c = bytes[at + i]!
    if ((c >= 0x41 && c <= 0x5a ? c | 0x20 : c) !== scheme.bytes[i]) return false
  }
  return true
}

export function isSame(
  left: Uint8Array,
  leftLength: number,
  right: Uint8Array,
  rightLength: number,
): boolean {
  if (leftLength !== rightLength) return false
  for (let i = 0; i < leftLength; i++) if (left[i] !== right[i]) return false
  return true
}
