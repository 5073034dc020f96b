/**
 * The exact set of the URLs that a cell has seen, by 64-bit fingerprint, in memory and on disk. All sets of
 * an agent share the limit of their `SeenSpace`.
 *
 * A set is divided into partitions by the first bits (extendible hashing), so that growing, spilling and
 * merging always concern a small part and never stop the crawl for long.
 */
import { PARTITION_ENTRIES } from '../../limits.js'
import { SeenPartition } from './seen-partition.js'
import type { SeenSpace } from './seen-space.js'

/** 4,096 partitions; above that they grow instead. */
const MAX_DEPTH = 12
const NO_PARTITIONS: SeenPartition[] = []

export interface SeenSetOptions {
  /** Entries above which a partition is split; smaller in tests. */
  readonly partitionEntries?: number
}

export class SeenSet {
  readonly #space: SeenSpace
  readonly #partitionEntries: number
  /** 2^depth references; a partition with fewer bits occurs several times. Empty before the first entry. */
  #directory = NO_PARTITIONS
  #depth = 0
  #size = 0

  constructor(space: SeenSpace, options: SeenSetOptions = {}) {
    this.#space = space
    this.#partitionEntries = options.partitionEntries ?? PARTITION_ENTRIES
  }

  get size(): number {
    return this.#size
  }

  has(low: number, high: number): boolean {
    return this.#size > 0 && this.#directory[this.#indexOf(high)].has(low, high)
  }

  /** True if the fingerprint is new. */
  add(low: number, high: number): boolean {
    if (this.#size === 0) this.#directory = [new SeenPartition(this.#space, 0, 0)]
    const partition = this.#directory[this.#indexOf(high)]
    if (!partition.add(low, high)) return false
    this.#size++
    if (partition.size > this.#partitionEntries && partition.depth < MAX_DEPTH) this.#split(partition)
    return true
  }

  /** Empties the set and frees memory and disk. */
  close(): void {
    for (const partition of new Set(this.#directory)) partition.close()
    this.#directory = NO_PARTITIONS
    this.#depth = 0
    this.#size = 0
  }

  #indexOf(high: number): number {
    return this.#depth === 0 ? 0 : high >>> (32 - this.#depth)
  }

  #split(partition: SeenPartition): void {
    if (partition.depth === this.#depth) {
      this.#directory = this.#directory.flatMap(entry => [entry, entry])
      this.#depth++
    }
    const halves = partition.split()
    const width = 2 ** (this.#depth - partition.depth - 1)
    for (const half of halves) {
      for (let i = half.prefix * width; i < (half.prefix + 1) * width; i++) this.#directory[i] = half
    }
  }
}
