import type { KnownLinks } from '../../../model/index.js'
import type { CellFrontier } from '../../../page/frontier/index.js'
import type { SentLinks } from '../pack/index.js'

/**
 * The links that a frontier would drop at a depth, and those sent already to other cells. One for all pages,
 * because there is one page at a time.
 */
export class FrontierKnownLinks implements KnownLinks {
  readonly #sent: SentLinks | null
  #frontier: CellFrontier | null = null
  #depth = 0

  constructor(sent: SentLinks | null) {
    this.#sent = sent
  }

  of(frontier: CellFrontier, depth: number): void {
    this.#frontier = frontier
    this.#depth = depth
  }

  has(low: number, high: number, isOwn: boolean): boolean {
    if (isOwn) return this.#frontier?.meetsFingerprint(low, high, this.#depth) ?? false
    return this.#sent?.hasFingerprint(low, high) ?? false
  }
}
