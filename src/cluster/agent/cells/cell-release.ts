/**
 * How an agent parts with cells in its hands: given back once their pages are committed, moved to others, or
 * lost.
 */
import type { Ledger } from '../../../ledger/index.js'
import type { CellId } from '../../../model/index.js'
import type { Transmitter } from '../pack/index.js'
import type { Counters, SiteCrawl } from '../site/index.js'
import type { SiteOpener } from './site-opener.js'

export interface CellReleaseParts {
  readonly ledger: Ledger
  readonly siteOpener: SiteOpener
  readonly transmitter: Transmitter
  readonly counters: Counters
  readonly sites: () => ReadonlyMap<CellId, SiteCrawl>
  readonly onFailure: (error: Error) => void
}

export class CellRelease {
  readonly #parts: CellReleaseParts

  constructor(parts: CellReleaseParts) {
    this.#parts = parts
  }

  /** At the tail of the queue: their last pages are sealed and committed first. */
  release(which: (site: SiteCrawl) => boolean): void {
    for (const site of this.#parts.sites().values()) {
      if (site.mode.is !== 'crawling' || !which(site)) continue
      site.leave('slice')
      site.wake.notify()
    }
  }

  /** Cells that belong to somebody else now: everything we know of them is void. */
  lost(sites: readonly SiteCrawl[]): void {
    for (const site of sites) {
      site.leave('lost')
      site.wake.notify()
    }
    this.#parts.transmitter.forget(sites)
  }

  /**
   * Sealed and committed first, as when a slice is over; by force when that takes too long. Asked again and
   * again.
   */
  moveAway(cells: readonly CellId[], force: boolean): void {
    const wanted = new Set(cells)
    this.release(({ cell }) => wanted.has(cell))
    if (!force) return
    for (const site of this.#parts.sites().values()) if (wanted.has(site.cell)) this.#takeAway(site)
  }

  /**
   * First what is under way is cut off: without it the cell goes as usual, with all that came before. One
   * that still does not (its pack cannot be stored) goes without what is not committed. Never while a request
   * is on the wire: the next-allowed time of who has it next counts from the release.
   */
  #takeAway(site: SiteCrawl): void {
    const { ledger, siteOpener, onFailure } = this.#parts
    if (!site.requestAbort.isAborted) {
      if (site.isRequesting) this.#force(site)
      site.requestAbort.abort()
      return
    }
    if (site.isRequesting || site.lost || !siteOpener.mayLeave(site)) return
    this.#force(site)
    site.releaseSent(
      ledger.release(site.cell, site.lease.epoch, 'head').catch(error => onFailure(error as Error)),
    )
    this.lost([site])
  }

  #force(site: SiteCrawl): void {
    if (site.force()) this.#parts.counters.forcedCells++
  }
}
