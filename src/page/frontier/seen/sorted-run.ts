/**
 * Fingerprints on disk, ascending by high, then low half, 512 per page. In memory are the first fingerprint
 * of each page (the fence) and a filter that saves most look-ups of new fingerprints.
 */

import { PAGE_BYTES, type PageFile, type Slab } from '../spill/index.js'
import { BlockFilter } from './block-filter.js'

const PER_PAGE = PAGE_BYTES / 8
const FENCE_WORDS = 3
/** The runtime's overhead for the objects of a run. */
const RUN_OVERHEAD = 1_500

const pageBytes = new Uint8Array(PAGE_BYTES)
const pageWords = new Uint32Array(pageBytes.buffer)

export class SortedRun {
  readonly size: number
  readonly #file: PageFile
  /** Low half, high half and page number of each page. */
  readonly #fences: Uint32Array
  readonly #filter: BlockFilter | null

  constructor(file: PageFile, size: number, fences: Uint32Array, filter: BlockFilter | null) {
    this.#file = file
    this.size = size
    this.#fences = fences
    this.#filter = filter
  }

  get bytes(): number {
    return RUN_OVERHEAD + this.#fences.byteLength + this.filterBytes
  }

  get filterBytes(): number {
    return this.#filter?.bytes ?? 0
  }

  has(low: number, high: number): boolean {
    if (this.#filter !== null && !this.#filter.has(low, high)) return false
    const at = lastNotAbove(this.#fences, FENCE_WORDS, this.#fences.length / FENCE_WORDS, low, high)
    if (at < 0) return false
    this.#file.read(this.#fences[at * FENCE_WORDS + 2], 0, pageBytes)
    const found = lastNotAbove(pageWords, 2, this.#countOf(at), low, high) * 2
    return found >= 0 && pageWords[found] === low && pageWords[found + 1] === high
  }

  source(): FingerprintSource {
    return new FingerprintSource(this.size, index => this.#load(index))
  }

  /** Frees pages and filter. */
  free(): void {
    this.#filter?.free()
    for (let i = 2; i < this.#fences.length; i += FENCE_WORDS) this.#file.giveBack(this.#fences[i])
  }

  #countOf(page: number): number {
    return Math.min(PER_PAGE, this.size - page * PER_PAGE)
  }

  #load(index: number): Uint32Array {
    const bytes = new Uint8Array(PAGE_BYTES)
    this.#file.read(this.#fences[index * FENCE_WORDS + 2], 0, bytes)
    return new Uint32Array(bytes.buffer)
  }
}

/** Ascending fingerprints. `advance` moves to the first or next one; false at the end. */
export class FingerprintSource {
  low = 0
  high = 0
  readonly #size: number
  readonly #load: (page: number) => Uint32Array
  #next = 0
  #words: Uint32Array = pageWords

  /** `load` returns the (low, high) pairs of a page. */
  constructor(size: number, load: (page: number) => Uint32Array) {
    this.#size = size
    this.#load = load
  }

  /** The pairs of a sorted array. */
  static of(pairs: Uint32Array): FingerprintSource {
    const words = 2 * PER_PAGE
    return new FingerprintSource(pairs.length / 2, page => pairs.subarray(page * words, (page + 1) * words))
  }

  advance(): boolean {
    if (this.#next === this.#size) return false
    const at = this.#next % PER_PAGE
    if (at === 0) this.#words = this.#load(this.#next / PER_PAGE)
    this.low = this.#words[at * 2]
    this.high = this.#words[at * 2 + 1]
    this.#next++
    return true
  }
}

/** Storage of pages and filter. */
interface RunSpace {
  readonly file: PageFile
  readonly slab: Slab
}

/** Writes a run from fingerprints in ascending order. */
export class RunWriter {
  readonly #file: PageFile
  readonly #filter: BlockFilter | null
  readonly #fences: number[] = []
  readonly #bytes = new Uint8Array(PAGE_BYTES)
  readonly #words = new Uint32Array(this.#bytes.buffer)
  #filled = 0
  #size = 0

  /** `filterBits` per entry; below 1 there is no filter. */
  constructor(space: RunSpace, expected: number, filterBits: number) {
    this.#file = space.file
    this.#filter = filterBits < 1 ? null : new BlockFilter(space.slab, expected, filterBits)
  }

  push(low: number, high: number): void {
    if (this.#filled === 0) this.#fences.push(low, high, this.#file.take())
    this.#words[this.#filled++] = low
    this.#words[this.#filled++] = high
    this.#size++
    this.#filter?.add(low, high)
    if (this.#filled === this.#words.length) this.#flush()
  }

  /** Null if nothing was pushed. */
  finish(): SortedRun | null {
    if (this.#size === 0) return null
    if (this.#filled > 0) this.#flush()
    return new SortedRun(this.#file, this.#size, Uint32Array.from(this.#fences), this.#filter)
  }

  #flush(): void {
    this.#file.write(this.#fences[this.#fences.length - 1], this.#bytes)
    this.#filled = 0
  }
}

/**
 * The index of the last entry not above the fingerprint; -1 if there is none. Entries are `stride` words, low
 * first.
 */
function lastNotAbove(words: Uint32Array, stride: number, count: number, low: number, high: number): number {
  let from = 0
  let to = count
  while (from < to) {
    const middle = (from + to) >>> 1
    const at = middle * stride
    const above = words[at + 1] > high || (words[at + 1] === high && words[at] > low)
    if (above) to = middle
    else from = middle + 1
  }
  return from - 1
}

/** Visits the fingerprints of a few disjoint sources in ascending order. */
export function mergeFingerprints(
  sources: readonly FingerprintSource[],
  visit: (low: number, high: number) => void,
): void {
  const open = sources.filter(source => source.advance())
  while (open.length > 0) {
    let least = 0
    for (let i = 1; i < open.length; i++) {
      const a = open[i]
      const b = open[least]
      if (a.high < b.high || (a.high === b.high && a.low < b.low)) least = i
    }
    const source = open[least]
    visit(source.low, source.high)
    if (!source.advance()) open.splice(least, 1)
  }
}
