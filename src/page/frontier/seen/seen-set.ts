/**
 * The exact set of the URLs a cell has seen, by 64-bit fingerprint, in memory and beyond it on disk. In comes
 * a fingerprint, out goes whether it is new. All sets of an agent together keep within the limit of their
 * `SeenSpace`.
 *
 * A set is one partition while it is small and splits (extendible hashing on the first bits) as it grows, so
 * that growing, spilling and merging always concern a small part and never stop the crawl for long.
 */
import { SeenPartition } from './seen-partition.js'
import type { SeenSpace } from './seen-space.js'

const PARTITION_ENTRIES = 128 * 1024
/** 4,096 partitions: beyond that they grow instead. */
const MAX_DEPTH = 12
const NO_PARTITIONS: SeenPartition[] = []

export interface SeenSetOptions {
  /** Entries past which a partition is split; smaller in tests. */
  readonly partitionEntries?: number
}

export class SeenSet {
  readonly #space: SeenSpace
  readonly #partitionEntries: number
  /**
   * 2^depth references; a partition with fewer bits stands in several places. Empty before the first entry.
   */
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

  /** True when the fingerprint is new. */
  add(low: number, high: number): boolean {
    if (this.#size === 0) this.#directory = [new SeenPartition(this.#space, 0, 0)]
    const partition = this.#directory[this.#indexOf(high)]
    if (!partition.add(low, high)) return false
    this.#size++
    if (partition.size > this.#partitionEntries && partition.depth < MAX_DEPTH) this.#split(partition)
    return true
  }

  /** Gives back memory and disk; the set is empty afterwards. */
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
