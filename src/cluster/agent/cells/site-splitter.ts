/**
 * Splits giant sites while they are crawled (`--split-sites N`): a cell with more than N queued URLs is
 * released, and cells by path replace it, which the assignment gives to any agents. They share the turn of
 * the site, so its request rate does not rise. Sites that were too heavy in the previous crawl are split
 * before the first lease (`runtime/routing/split-heavy.ts`).
 */

import type { Bus } from '../../../bus/index.js'
import type { Ledger } from '../../../ledger/index.js'
import { type CellId, type CellMap, type Clock, LIMITS, rangeCell, rangeOf } from '../../../model/index.js'
import { planSplit } from '../../../page/frontier/index.js'
import { SPLIT_REST_MS } from '../../limits.js'
import type { SiteCrawl } from '../site/index.js'

/** A cell that could not be split is tried again when it has this many times the URLs. */
const GROWTH = 2
const KEPT_FAILURES = 1_000

export interface SiteSplitterParts {
  readonly clock: Clock
  readonly ledger: Ledger
  readonly bus: Bus
  readonly cells: CellMap
  /** URLs that may wait in one cell; infinite if no site is split. */
  readonly mostUrls: number
  readonly log: (event: string, fields?: Readonly<Record<string, unknown>>) => void
}

export class SiteSplitter {
  readonly #parts: SiteSplitterParts
  readonly #unsplittable = new Map<CellId, number>()
  /** Without other agents a split is of no use. */
  #hasPeers = false

  constructor(parts: SiteSplitterParts) {
    this.#parts = parts
  }

  /** Called with every heartbeat. */
  apply(hasPeers: boolean): void {
    this.#hasPeers = hasPeers
  }

  /** Called after every visit: true if the site has to be split. */
  wants(site: SiteCrawl): boolean {
    const { size } = site.frontier
    if (size <= this.#parts.mostUrls || !this.#hasPeers || site.mode.is !== 'crawling') return false
    return size > (this.#unsplittable.get(site.cell) ?? 0) && rangeOf(site.cell) !== null
  }

  /** The site is being left, and all its packs are committed. */
  async split(site: SiteCrawl): Promise<void> {
    const { ledger, clock, cells, bus, log, mostUrls } = this.#parts
    const { cell, lease, frontier } = site
    const pieces = Math.ceil((2 * frontier.size) / mostUrls)
    const most = Math.min(LIMITS.splitPieces, Math.max(2, pieces))
    const plan = await planSplit(() => frontier.queuedUrls(), rangeOf(cell)!, most)
    if (plan === null) {
      if (this.#unsplittable.size >= KEPT_FAILURES) this.#unsplittable.clear()
      this.#unsplittable.set(cell, frontier.size * GROWTH)
      await ledger.release(cell, lease.epoch, 'tail')
      return
    }
    const children = plan.map(({ queued, ...range }) => ({ cell: rangeCell(site.site, range), queued }))
    if (!(await ledger.rest(cell, lease.epoch, clock.now() + SPLIT_REST_MS))) return
    if (!(await ledger.split(cell, lease.epoch, site.packs.last, children))) return
    const names = children.map(child => child.cell)
    cells.learn(cell, names)
    log('site split', { cell, children })
    bus.send({ kind: 'inbox', cells: names })
  }
}
