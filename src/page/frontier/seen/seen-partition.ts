/**
 * The part of a seen-set whose fingerprints begin with `prefix` (`depth` bits of the high half). New
 * fingerprints go to a table in memory. When memory is short, the table becomes a sorted run on disk, merged
 * with runs of similar size so that there are only a few.
 */

import { NO_CLASS, type SpillHolder } from '../spill/index.js'
import { ADDED, FingerprintTable, FULL } from './fingerprint-table.js'
import type { SeenSpace } from './seen-space.js'
import { FingerprintSource, mergeFingerprints, RunWriter, type SortedRun } from './sorted-run.js'

/** A run is merged into the new one if it is at most this many times larger. */
const MERGE_RATIO = 2
const NO_RUNS: readonly SortedRun[] = []
/** This object and its table, without the slots. */
const PARTITION_BYTES = 240

export class SeenPartition implements SpillHolder {
  spillClass = NO_CLASS
  readonly prefix: number
  readonly depth: number
  readonly #space: SeenSpace
  readonly #id: number
  readonly #table: FingerprintTable
  /** Largest first. */
  #runs = NO_RUNS
  #sizeOnDisk = 0

  constructor(space: SeenSpace, prefix: number, depth: number, expected = 0) {
    this.#space = space
    this.prefix = prefix
    this.depth = depth
    this.#id = space.nextId()
    this.#table = new FingerprintTable(space.slab, space.salt, expected)
    space.reserve(PARTITION_BYTES + this.#table.bytes)
    space.order.update(this, this.#table.bytes)
  }

  get size(): number {
    return this.#table.size + this.#sizeOnDisk
  }

  has(low: number, high: number): boolean {
    return this.#table.has(low, high) || (this.#runs.length > 0 && this.#isOnDisk(low, high))
  }

  /** True if the fingerprint is new. */
  add(low: number, high: number): boolean {
    if (this.#runs.length === 0) {
      const result = this.#table.tryAdd(low, high)
      if (result !== FULL) return result === ADDED
    } else if (this.has(low, high)) {
      return false
    }
    while (this.#table.tryAdd(low, high) === FULL) this.#makeRoom()
    return true
  }

  spill(): void {
    const tableBytes = this.#table.bytes
    const sorted = this.#space.sorted(this.#table)
    const kept = [...this.#runs]
    const merged: SortedRun[] = []
    let size = sorted.length / 2
    for (let run = kept.at(-1); run !== undefined && run.size <= size * MERGE_RATIO; run = kept.at(-1)) {
      merged.push(run)
      size += run.size
      kept.pop()
    }
    const writer = new RunWriter(this.#space, size, this.#space.filterBits(size))
    const sources = [FingerprintSource.of(sorted), ...merged.map(run => run.source())]
    mergeFingerprints(sources, (low, high) => writer.push(low, high))
    this.#table.clear()
    this.#space.release(tableBytes)
    this.#space.order.update(this, 0)
    for (const run of merged) this.#drop(run)
    this.#runs = kept
    this.#keep(writer.finish())
  }

  /** Moves all fingerprints to two partitions with one more bit; this one is empty afterwards. */
  split(): [SeenPartition, SeenPartition] {
    const half = Math.ceil(this.#table.size / 2)
    // While it is read, the table must not be spilled.
    this.#space.order.update(this, 0)
    const left = new SeenPartition(this.#space, this.prefix * 2, this.depth + 1, half)
    const right = new SeenPartition(this.#space, this.prefix * 2 + 1, this.depth + 1, half)
    const bit = 31 - this.depth
    this.#table.visit((low, high) => void (((high >>> bit) & 1) === 0 ? left : right).add(low, high))
    if (this.#runs.length > 0) this.#splitRuns(left, right, bit)
    this.close()
    return [left, right]
  }

  /** Frees memory and disk. */
  close(): void {
    this.#space.release(PARTITION_BYTES + this.#table.bytes)
    this.#space.order.update(this, 0)
    this.#table.clear()
    for (const run of this.#runs) this.#drop(run)
    this.#runs = NO_RUNS
  }

  #splitRuns(left: SeenPartition, right: SeenPartition, bit: number): void {
    const half = Math.ceil(this.#sizeOnDisk / 2)
    const bits = this.#space.filterBits(half)
    const writers = [left, right].map(() => new RunWriter(this.#space, half, bits))
    const sources = this.#runs.map(run => run.source())
    mergeFingerprints(sources, (low, high) => writers[(high >>> bit) & 1].push(low, high))
    left.#keep(writers[0].finish())
    right.#keep(writers[1].finish())
  }

  #isOnDisk(low: number, high: number): boolean {
    if (this.#space.isRecent(this.#id, low, high)) return true
    for (const run of this.#runs) {
      if (!run.has(low, high)) continue
      this.#space.remember(this.#id, low, high)
      return true
    }
    return false
  }

  /** Grows the table, unless reserving the memory has just spilled it. */
  #makeRoom(): void {
    const wanted = this.#table.grownBytes
    this.#space.reserve(wanted)
    const before = this.#table.bytes
    this.#table.grow()
    this.#space.release(before + wanted - this.#table.bytes)
    this.#space.order.update(this, this.#table.bytes)
  }

  #keep(run: SortedRun | null): void {
    if (run === null) return
    this.#runs = [...this.#runs, run]
    this.#sizeOnDisk += run.size
    this.#space.addRun(run)
  }

  #drop(run: SortedRun): void {
    run.free()
    this.#sizeOnDisk -= run.size
    this.#space.dropRun(run)
  }
}
