/**
 * An open-addressing table of 64-bit fingerprints (two unsigned 32-bit halves), 8 bytes per slot.
 *
 * The load stays between 0.53 and 0.8, so a fingerprint takes 10 to 15 bytes. Capacities grow by about 1.4
 * and are not powers of two. A small table is one array; a large one consists of pieces of a slab. A secret
 * salt decides the slot, so that nobody can aim URLs at one slot.
 */
import { PIECE_BYTES, type Slab } from '../spill/index.js'

const MAX_LOAD = 0.8
const GROWTH = 1.4
const FIRST_CAPACITY = 8
const SLOT_BYTES = 8
const PIECE_SLOTS = PIECE_BYTES / SLOT_BYTES
const PIECE_SHIFT = Math.log2(PIECE_SLOTS)
/** A larger table consists of pieces: at least eight, so that rounding up wastes little. */
const SINGLE_SLOTS = 8 * PIECE_SLOTS
const TWO_32 = 4_294_967_296
/** Arrays up to this size are inside the JavaScript heap, which costs less. */
const ON_HEAP_BYTES = 64
/** Measured overhead of V8 and malloc for a typed array. */
const ON_HEAP_OVERHEAD = 240
const OFF_HEAP_OVERHEAD = 520

const NO_PIECES: Uint32Array[] = []

/** Results of `tryAdd`. `FULL`: the fingerprint is new, and `grow` must make room for it. */
export const KNOWN = 0
export const ADDED = 1
export const FULL = 2

export class FingerprintTable {
  readonly #slab: Slab
  readonly #salt: number
  #pieces = NO_PIECES
  #capacity = 0
  /** Capacity / 2^32: maps a 32-bit hash to a slot. */
  #scale = 0
  /** Bits of a slot number that count within a piece; all of them if there is only one. */
  #shift = 31
  #used = 0
  #maxUsed = 0
  /** (0, 0) marks a free slot, so that fingerprint is kept here. */
  #hasZero = false

  /** With room for `expected` entries. */
  constructor(slab: Slab, salt: number, expected = 0) {
    this.#slab = slab
    this.#salt = salt
    let capacity = 0
    while (Math.floor(capacity * MAX_LOAD) < expected) capacity = grown(capacity)
    if (capacity > 0) this.#allocate(capacity)
  }

  get size(): number {
    return this.#hasZero ? this.#used + 1 : this.#used
  }

  /** Memory held, including the runtime's overhead. */
  get bytes(): number {
    return bytesOf(this.#capacity)
  }

  /** Memory held after the next `grow`; during it, both tables exist. */
  get grownBytes(): number {
    return bytesOf(grown(this.#capacity))
  }

  has(low: number, high: number): boolean {
    if ((low | high) === 0) return this.#hasZero
    return this.#used > 0 && this.#find(low, high) < 0
  }

  tryAdd(low: number, high: number): typeof KNOWN | typeof ADDED | typeof FULL {
    if ((low | high) === 0) return this.#addZero()
    if (this.#capacity === 0) return FULL
    const slot = this.#find(low, high)
    if (slot < 0) return KNOWN
    if (this.#used === this.#maxUsed) return FULL
    this.#write(slot, low, high)
    this.#used++
    return ADDED
  }

  /** True if the fingerprint is new. Grows if necessary. */
  add(low: number, high: number): boolean {
    let result = this.tryAdd(low, high)
    if (result === FULL) {
      this.grow()
      result = this.tryAdd(low, high)
    }
    return result === ADDED
  }

  grow(): void {
    const old = this.#pieces
    this.#allocate(grown(this.#capacity))
    for (const piece of old) {
      for (let i = 0; i < piece.length; i += 2) {
        const low = piece[i]
        const high = piece[i + 1]
        if ((low | high) !== 0) this.#write(this.#find(low, high), low, high)
      }
    }
    this.#giveBack(old)
  }

  /** Visits all fingerprints in no particular order. */
  visit(each: (low: number, high: number) => void): void {
    if (this.#hasZero) each(0, 0)
    for (const piece of this.#pieces) {
      for (let i = 0; i < piece.length; i += 2) {
        if ((piece[i] | piece[i + 1]) !== 0) each(piece[i], piece[i + 1])
      }
    }
  }

  clear(): void {
    this.#giveBack(this.#pieces)
    this.#pieces = NO_PIECES
    this.#capacity = 0
    this.#used = 0
    this.#maxUsed = 0
    this.#hasZero = false
  }

  #addZero(): typeof KNOWN | typeof ADDED {
    if (this.#hasZero) return KNOWN
    this.#hasZero = true
    return ADDED
  }

  #allocate(capacity: number): void {
    const single = capacity <= SINGLE_SLOTS
    this.#pieces = single
      ? [new Uint32Array(capacity * 2)]
      : Array.from({ length: capacity / PIECE_SLOTS }, () => this.#slab.take())
    this.#shift = single ? 31 : PIECE_SHIFT
    this.#capacity = capacity
    this.#scale = capacity / TWO_32
    this.#maxUsed = Math.floor(capacity * MAX_LOAD)
  }

  #giveBack(pieces: readonly Uint32Array[]): void {
    if (pieces.length > 1) for (const piece of pieces) this.#slab.giveBack(piece)
  }

  #write(slot: number, low: number, high: number): void {
    const piece = this.#pieces[slot >>> this.#shift]
    const at = (slot & ((1 << this.#shift) - 1)) * 2
    piece[at] = low
    piece[at + 1] = high
  }

  /** The free slot for the fingerprint; -1 if it is in the table. */
  #find(low: number, high: number): number {
    let hash = Math.imul(low ^ this.#salt, 0x9e3779b1)
    hash = Math.imul(hash ^ (hash >>> 15) ^ high, 0x85ebca77)
    let slot = Math.floor((hash >>> 0) * this.#scale)
    const shift = this.#shift
    let piece = this.#pieces[slot >>> shift]
    let at = (slot & ((1 << shift) - 1)) * 2
    while (piece[at] !== low || piece[at + 1] !== high) {
      if ((piece[at] | piece[at + 1]) === 0) return slot
      at += 2
      slot++
      if (at < piece.length) continue
      at = 0
      if (slot === this.#capacity) slot = 0
      piece = this.#pieces[slot >>> shift]
    }
    return -1
  }
}

function grown(capacity: number): number {
  if (capacity === 0) return FIRST_CAPACITY
  const next = Math.ceil(capacity * GROWTH)
  return next <= SINGLE_SLOTS ? next : Math.ceil(next / PIECE_SLOTS) * PIECE_SLOTS
}

function bytesOf(capacity: number): number {
  if (capacity === 0) return 0
  const bytes = capacity * SLOT_BYTES
  return bytes + (bytes <= ON_HEAP_BYTES ? ON_HEAP_OVERHEAD : OFF_HEAP_OVERHEAD)
}
