/** How long a site may keep its lane while others wait for one. */
import { LIMITS, type WakeUp } from '../../../model/index.js'
import type { SiteCrawl } from '../site/index.js'
import type { HeldCells } from './held-cells.js'
import type { SiteSplitter } from './site-splitter.js'

/**
 * When other sites wait, a lane releases its site after this many visits, and not before it has visited this
 * share of the site's URLs: the next lane rebuilds all of them.
 */
const SLICE_VISITS = 2_000
const SLICE_SHARE = 1 / 4

export interface SlicesParts {
  readonly splitter: SiteSplitter
  /** If false, a lane keeps its site to the end. */
  readonly slices: boolean
  readonly lanes: number
  readonly heldCells: HeldCells
  /** How many more sites the agent could take now. */
  readonly free: () => number
  readonly wake: WakeUp
}

export class Slices {
  readonly #parts: SlicesParts
  /** Cells that wait for a lane of any agent, as last reported. */
  waitingCells = 1

  constructor(parts: SlicesParts) {
    this.#parts = parts
  }

  /** Called when a site waits long: true if it has to wait in the ledger, because many others wait here. */
  lendsLane(): boolean {
    if (this.waitingCells === 0) return false
    const { heldCells, lanes, wake } = this.#parts
    wake.notify()
    return heldCells.sites.size >= lanes + LIMITS.sitesInWait
  }

  /** Called after every visit: true if the site has to be left, for example to let a waiting site in. */
  ends(site: SiteCrawl): boolean {
    if (this.#parts.splitter.wants(site)) site.leave('split')
    if (site.visits < SLICE_VISITS || !this.#parts.slices) return site.mode.is === 'leaving'
    const crowded = this.waitingCells > 0 && this.#parts.free() <= 0
    const hadShare = site.visits >= site.frontier.known * SLICE_SHARE
    if (crowded && hadShare && site.mode.is === 'crawling' && !site.frontier.isEmpty) site.leave('slice')
    return site.mode.is === 'leaving'
  }
}
