/**
 * At which depths a URL was reached, kept only with `--max-depth`. A row of this set is (URL, depth): the
 * fingerprint changed by the depth, in the same spilling set as everything else. All depths past the limit
 * count as one.
 */
import type { SeenSet } from './seen-set.js'

export class DepthSet {
  readonly #rows: SeenSet
  readonly #deepest: number

  constructor(rows: SeenSet, maxDepth: number) {
    this.#rows = rows
    this.#deepest = maxDepth + 1
  }

  /** True when the URL was reached at `depth` or nearer. Looks up every depth from there to 0. */
  reached(low: number, high: number, depth: number): boolean {
    for (let at = Math.min(depth, this.#deepest); at >= 0; at--) {
      if (this.#rows.has(lowAt(low, at), highAt(high, at))) return true
    }
    return false
  }

  /** True when the URL was reached nearer than at `depth`. */
  reachedNearer(low: number, high: number, depth: number): boolean {
    return this.reached(low, high, Math.min(depth, this.#deepest) - 1)
  }

  /** The smallest depth the URL was reached at; past the limit when it never was. */
  nearest(low: number, high: number): number {
    let at = 0
    while (at < this.#deepest && !this.#rows.has(lowAt(low, at), highAt(high, at))) at++
    return at
  }

  add(low: number, high: number, depth: number): void {
    const at = Math.min(depth, this.#deepest)
    this.#rows.add(lowAt(low, at), highAt(high, at))
  }

  /** The depth as it counts here is past the limit. */
  isTooDeep(depth: number): boolean {
    return depth >= this.#deepest
  }

  /** Says that the URL's page was asked for; true when it had not been before. */
  visit(low: number, high: number): boolean {
    return this.#rows.add(lowAt(low, VISITED), highAt(high, VISITED))
  }

  /** Says that a trap rule refused the URL, at whatever depth it comes again. */
  refuse(low: number, high: number): void {
    this.#rows.add(lowAt(low, REFUSED), highAt(high, REFUSED))
  }

  isRefused(low: number, high: number): boolean {
    return this.#rows.has(lowAt(low, REFUSED), highAt(high, REFUSED))
  }
}

/** These stand where a depth would: no depth is below 0. */
const VISITED = -2
const REFUSED = -3

function lowAt(low: number, depth: number): number {
  return (low ^ Math.imul(depth + 1, 0x9e3779b1)) >>> 0
}

function highAt(high: number, depth: number): number {
  return (high ^ Math.imul(depth + 1, 0x85ebca6b)) >>> 0
}
