/** How long a site may keep its lane while others wait for one. */
import { LIMITS } from '../../../model/index.js'
import type { SiteCrawl } from '../site/index.js'
import type { SiteSplitter } from './site-splitter.js'

/**
 * A lane releases its site after this many visits when other sites wait; a large site after visits for this
 * share of its URLs, because it has to be rebuilt when its turn comes again.
 */
const SLICE_VISITS = 2_000
const SLICE_SHARE = 1 / 4

export interface SlicesParts {
  readonly splitter: SiteSplitter
  /** Off, a lane keeps its site to the end. */
  readonly slices: boolean
  readonly lanes: number
  /** Sites in hand, and sites that could be taken now. */
  readonly inHand: () => number
  readonly free: () => number
  /** A lane may be lent. */
  readonly onLend: () => void
}

export class Slices {
  readonly #parts: SlicesParts
  /** Cells that wait for a lane anywhere, as was last heard. */
  waitingCells = 1

  constructor(parts: SlicesParts) {
    this.#parts = parts
  }

  /** A site waits long for its turn: true when it has to do so in the ledger, because many others do here. */
  lendsLane(): boolean {
    if (this.waitingCells === 0) return false
    this.#parts.onLend()
    return this.#parts.inHand() >= this.#parts.lanes + LIMITS.sitesInWait
  }

  /** When others wait, a site that has had its slice lets them have its lane. Asked after every visit. */
  ends(site: SiteCrawl): boolean {
    if (this.#parts.splitter.wants(site)) site.leave('split')
    if (site.visits < SLICE_VISITS || !this.#parts.slices) return site.mode.is === 'leaving'
    const crowded = this.waitingCells > 0 && this.#parts.free() <= 0
    const hadShare = site.visits >= site.frontier.known * SLICE_SHARE
    if (crowded && hadShare && site.mode.is === 'crawling' && !site.frontier.isEmpty) site.leave('slice')
    return site.mode.is === 'leaving'
  }
}
