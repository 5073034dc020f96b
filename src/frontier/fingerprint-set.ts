/**
 * An exact set of 64-bit fingerprints in memory, at most 16 bytes each at every size.
 *
 * A small set is one table. A large one is 256, told apart by the fingerprint's highest byte: they grow one after the
 * other, so that growing never needs the set twice, nor a long pause.
 */
import { FingerprintTable } from './fingerprint-table.js'
import { Slab } from './slab.js'

const SINGLE_MAX = 1 << 16
const TABLES = 256

export class FingerprintSet {
  readonly #slab: Slab
  readonly #salt: number
  #tables: FingerprintTable[]
  #size = 0

  /** `salt`: any 32-bit number the web cannot know. */
  constructor(salt = 0, slab = new Slab()) {
    this.#slab = slab
    this.#salt = salt
    this.#tables = [new FingerprintTable(slab, salt)]
  }

  get size(): number {
    return this.#size
  }

  get bytes(): number {
    let bytes = 0
    for (const table of this.#tables) bytes += table.bytes
    return bytes
  }

  has(low: number, high: number): boolean {
    return this.#tableOf(high).has(low, high)
  }

  /** True when the fingerprint is new. */
  add(low: number, high: number): boolean {
    if (!this.#tableOf(high).add(low, high)) return false
    if (++this.#size === SINGLE_MAX) this.#divide()
    return true
  }

  #tableOf(high: number): FingerprintTable {
    return this.#tables.length === 1 ? this.#tables[0] : this.#tables[high >>> 24]
  }

  #divide(): void {
    const whole = this.#tables[0]
    const expected = SINGLE_MAX / TABLES
    const tables = Array.from(
      { length: TABLES },
      () => new FingerprintTable(this.#slab, this.#salt, expected),
    )
    whole.visit((low, high) => void tables[high >>> 24].add(low, high))
    whole.clear()
    this.#tables = tables
  }
}
