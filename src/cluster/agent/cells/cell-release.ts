/** Releases cells that the agent holds: after their pages are committed, or by force. */
import type { Ledger } from '../../../ledger/index.js'
import type { CellId } from '../../../model/index.js'
import type { Transmitter } from '../pack/index.js'
import type { Counters, SiteCrawl } from '../site/index.js'
import type { HeldCells } from './held-cells.js'
import type { SiteOpener } from './site-opener.js'

export interface CellReleaseParts {
  readonly ledger: Ledger
  readonly siteOpener: SiteOpener
  readonly transmitter: Transmitter
  readonly counters: Counters
  readonly heldCells: Pick<HeldCells, 'sites'>
  readonly onFailure: (error: Error) => void
}

export class CellRelease {
  readonly #parts: CellReleaseParts

  constructor(parts: CellReleaseParts) {
    this.#parts = parts
  }

  /** Returns cells to the tail of the queue once their last pages are committed. */
  release(which: (site: SiteCrawl) => boolean): void {
    for (const site of this.#parts.heldCells.sites.values()) {
      if (site.mode.is !== 'crawling' || !which(site)) continue
      site.leave('slice')
      site.wake.notify()
    }
  }

  /**
   * Releases cells that have another agent now. With `force`, takes them from their lanes, because the
   * release has taken too long. The coordinator repeats its request until the cells are released.
   */
  moveAway(cells: readonly CellId[], force: boolean): void {
    const wanted = new Set(cells)
    this.release(({ cell }) => wanted.has(cell))
    if (!force) return
    for (const site of this.#parts.heldCells.sites.values()) if (wanted.has(site.cell)) this.#takeAway(site)
  }

  /**
   * The first call aborts the requests of the cell, which then is released as usual. If its pack cannot be
   * stored, a later call releases it without what is not committed, but never while a request is on the wire:
   * the politeness delay of the next holder counts from the release.
   */
  #takeAway(site: SiteCrawl): void {
    const { ledger, siteOpener, transmitter, onFailure } = this.#parts
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
    transmitter.lose([site])
  }

  #force(site: SiteCrawl): void {
    if (site.force()) this.#parts.counters.forcedCells++
  }
}
