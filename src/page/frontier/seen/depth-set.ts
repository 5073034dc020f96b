/**
 * The depths at which URLs were reached, used only with `--max-depth`. A row is (URL, depth), stored in a
 * seen-set as the fingerprint changed by the depth. All depths above the limit count as one.
 */
import type { SeenSet } from './seen-set.js'

export class DepthSet {
  readonly #rows: SeenSet
  readonly #deepest: number

  constructor(rows: SeenSet, maxDepth: number) {
    this.#rows = rows
    this.#deepest = maxDepth + 1
  }

  /** True if the URL was reached at `depth` or less. Looks up each depth. */
  reached(low: number, high: number, depth: number): boolean {
    for (let at = Math.min(depth, this.#deepest); at >= 0; at--) {
      if (this.#rows.has(lowAt(low, at), highAt(high, at))) return true
    }
    return false
  }

  /** True if the URL was reached at less than `depth`. */
  reachedNearer(low: number, high: number, depth: number): boolean {
    return this.reached(low, high, Math.min(depth, this.#deepest) - 1)
  }

  /** The smallest depth at which the URL was reached; above the limit if it never was. */
  nearest(low: number, high: number): number {
    let at = 0
    while (at < this.#deepest && !this.#rows.has(lowAt(low, at), highAt(high, at))) at++
    return at
  }

  add(low: number, high: number, depth: number): void {
    const at = Math.min(depth, this.#deepest)
    this.#rows.add(lowAt(low, at), highAt(high, at))
  }

  /** Whether the depth is above the limit. */
  isTooDeep(depth: number): boolean {
    return depth >= this.#deepest
  }

  /** Marks the page as requested; true the first time. */
  visit(low: number, high: number): boolean {
    return this.#rows.add(lowAt(low, VISITED), highAt(high, VISITED))
  }

  /** Marks the URL as refused by a trap rule, at every depth. */
  refuse(low: number, high: number): void {
    this.#rows.add(lowAt(low, REFUSED), highAt(high, REFUSED))
  }

  isRefused(low: number, high: number): boolean {
    return this.#rows.has(lowAt(low, REFUSED), highAt(high, REFUSED))
  }
}

/** Stored in place of a depth; no depth is negative. */
const VISITED = -2
const REFUSED = -3

function lowAt(low: number, depth: number): number {
  return (low ^ Math.imul(depth + 1, 0x9e3779b1)) >>> 0
}

function highAt(high: number, depth: number): number {
  return (high ^ Math.imul(depth + 1, 0x85ebca6b)) >>> 0
}
