/**
 * Shared by the seen-sets of all cells of an agent: a memory limit, a spill file, and a cache of fingerprints
 * recently found on disk (links of a menu are on every page of a site).
 */

import { join } from 'node:path'
import { RECENT_MAX_BYTES, SEEN_SPACE_SMALLEST_SPILL_BYTES } from '../../limits.js'
import { PageFile, Slab, SpillOrder } from '../spill/index.js'
import type { FingerprintTable } from './fingerprint-table.js'

const FILTER_BITS = 10
/** The share of memory for filters; above it they get coarser, then new runs have none. */
const FILTER_SHARE = 0.5
const RECENT_SHARE = 1 / 64
const RECENT_WORDS = 3

export interface SeenSpaceOptions {
  /** The folder of the spill file, which is created when needed. */
  readonly folder: string
  readonly limitBytes: number
  /** A 32-bit number that the web cannot guess. */
  readonly salt: number
}

export class SeenSpace {
  readonly salt: number
  readonly file: PageFile
  readonly order: SpillOrder
  readonly slab = new Slab()
  readonly #limitBytes: number
  readonly #recent: Uint32Array
  readonly #recentMask: number
  #sorting = new BigUint64Array(0)
  #usedBytes = 0
  #filterBytes = 0
  #entriesOnDisk = 0
  #lastId = 0

  constructor(options: SeenSpaceOptions) {
    this.salt = options.salt
    this.file = new PageFile(join(options.folder, 'seen.pages'))
    this.#limitBytes = options.limitBytes
    this.order = new SpillOrder(Math.min(SEEN_SPACE_SMALLEST_SPILL_BYTES, options.limitBytes / 16))
    const recentBytes = Math.min(RECENT_MAX_BYTES, options.limitBytes * RECENT_SHARE)
    const recent = 2 ** Math.floor(Math.log2(Math.max(1, recentBytes / (RECENT_WORDS * 4))))
    this.#recent = new Uint32Array(recent * RECENT_WORDS)
    this.#recentMask = recent - 1
    this.#usedBytes = this.#recent.byteLength
  }

  /** Memory held by all sets. */
  get usedBytes(): number {
    return this.#usedBytes
  }

  get entriesOnDisk(): number {
    return this.#entriesOnDisk
  }

  /** An id for a partition. */
  nextId(): number {
    return ++this.#lastId
  }

  /** Reserves `bytes`; the largest holders are spilled to make room, as far as that helps. */
  reserve(bytes: number): void {
    while (this.#usedBytes + bytes > this.#limitBytes) {
      const holder = this.order.largest()
      if (holder === undefined) break
      holder.spill()
    }
    this.#usedBytes += bytes
  }

  release(bytes: number): void {
    this.#usedBytes -= bytes
  }

  /** Counts the memory of a new run without reserving it, because spilling its entries has made room. */
  addRun(run: RunSize): void {
    this.#countRun(run, 1)
  }

  dropRun(run: RunSize): void {
    this.#countRun(run, -1)
  }

  /**
   * The fingerprints of a table as (low, high) pairs, ascending by high, then low: the order of a 64-bit view
   * on little-endian machines. The next call overwrites the array.
   */
  sorted(table: FingerprintTable): Uint32Array {
    const size = table.size
    if (this.#sorting.length < size) {
      this.#usedBytes += (size - this.#sorting.length) * 8
      this.#sorting = new BigUint64Array(size)
    }
    const pairs = new Uint32Array(this.#sorting.buffer, 0, size * 2)
    let end = 0
    table.visit((low, high) => {
      pairs[end++] = low
      pairs[end++] = high
    })
    this.#sorting.subarray(0, size).sort()
    return pairs
  }

  /** The filter bits per entry for a new run. */
  filterBits(entries: number): number {
    const shareBits = this.#limitBytes * FILTER_SHARE * 8
    const fair = shareBits / Math.max(1, this.#entriesOnDisk + entries)
    const left = (shareBits - this.#filterBytes * 8) / entries
    return Math.floor(Math.min(FILTER_BITS, fair, left))
  }

  remember(id: number, low: number, high: number): void {
    const at = this.#recentSlot(id, low)
    this.#recent[at] = low
    this.#recent[at + 1] = high
    this.#recent[at + 2] = id
  }

  isRecent(id: number, low: number, high: number): boolean {
    const at = this.#recentSlot(id, low)
    return this.#recent[at] === low && this.#recent[at + 1] === high && this.#recent[at + 2] === id
  }

  close(): void {
    this.file.close()
  }

  #recentSlot(id: number, low: number): number {
    return ((low ^ Math.imul(id, 0x9e3779b1)) & this.#recentMask) * RECENT_WORDS
  }

  #countRun(run: RunSize, sign: 1 | -1): void {
    this.#usedBytes += sign * run.bytes
    this.#filterBytes += sign * run.filterBytes
    this.#entriesOnDisk += sign * run.size
  }
}

interface RunSize {
  readonly size: number
  readonly bytes: number
  readonly filterBytes: number
}
