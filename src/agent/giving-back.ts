/** How an agent parts with cells in its hands: given back once their pages are committed, moved to others, or lost. */
import type { Ledger } from '../cluster/index.js'
import type { CellId } from '../model/cell.js'
import type { SiteCrawl } from './site-crawl.js'
import type { SiteDesk } from './site-desk.js'
import type { Transmitter } from './transmitter.js'

export interface GivingBackParts {
  readonly ledger: Ledger
  readonly desk: SiteDesk
  readonly transmitter: Transmitter
  readonly sites: () => ReadonlyMap<CellId, SiteCrawl>
  readonly onFailure: (error: Error) => void
}

export class GivingBack {
  readonly #parts: GivingBackParts

  constructor(parts: GivingBackParts) {
    this.#parts = parts
  }

  /** At the tail of S: their last pages are sealed and committed first. */
  giveBack(which: (site: SiteCrawl) => boolean): void {
    for (const site of this.#parts.sites().values()) {
      if (site.mode.is !== 'crawling' || !which(site)) continue
      site.leave('slice')
      site.wake.ring()
    }
  }

  /** Cells that belong to somebody else now: everything we know of them is void. */
  lost(sites: readonly SiteCrawl[]): void {
    for (const site of sites) {
      site.leave('lost')
      site.wake.ring()
    }
    this.#parts.transmitter.forget(sites)
  }

  /** Sealed and committed first; by force without what is not committed, once no request is under way. */
  moveAway(cells: readonly CellId[], force: boolean): void {
    const wanted = new Set(cells)
    this.giveBack(({ cell }) => wanted.has(cell))
    if (!force) return
    const { ledger, desk, sites, onFailure } = this.#parts
    const late = [...sites().values()].filter(
      site => wanted.has(site.cell) && site.inFlight === 0 && desk.mayLeave(site),
    )
    this.lost(late)
    for (const { cell, lease } of late)
      void ledger.release(cell, lease.epoch, 'head').catch(error => onFailure(error as Error))
  }
}
