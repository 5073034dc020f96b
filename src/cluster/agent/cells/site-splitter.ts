/**
 * Splits sites that turn out to be giants while they are crawled (`--split-sites N`): a cell in whose queue
 * more URLs wait than one agent should have is given back, and cells by path take its place, each for
 * whichever agent the assignment means it. They are still one site: they share its turn, so its request rate
 * does not rise. Sites that the crawl before found too heavy are split before the first lease
 * (`runtime/routing/split-heavy.ts`).
 */
import type { Bus } from '../../../bus/index.js'
import type { Ledger } from '../../../ledger/index.js'
import { type CellId, type CellMap, type Clock, LIMITS, rangeCell, rangeOf } from '../../../model/index.js'
import { planSplit } from '../../../page/frontier/index.js'
import type { SiteCrawl } from '../site/index.js'

/** Nobody is given the cell while it is being split; should that fail, it waits in S again after this. */
const ASIDE_MS = 5_000
/** A cell that could not be cut is looked at again when it has grown so much. */
const GROWN = 2
const FUTILE_CELLS = 1_000

export interface SiteSplitterParts {
  readonly clock: Clock
  readonly ledger: Ledger
  readonly bus: Bus
  readonly cells: CellMap
  /** URLs that may wait in one cell; infinite where nothing is split. */
  readonly mostUrls: number
  readonly log: (event: string, fields?: Readonly<Record<string, unknown>>) => void
}

export class SiteSplitter {
  readonly #parts: SiteSplitterParts
  readonly #futile = new Map<CellId, number>()
  /** Alone, an agent has nobody to leave a part to. */
  #hasPeers = false

  constructor(parts: SiteSplitterParts) {
    this.#parts = parts
  }

  /** With every heartbeat. */
  apply(hasPeers: boolean): void {
    this.#hasPeers = hasPeers
  }

  /** Asked after every visit. */
  wants(site: SiteCrawl): boolean {
    const { size } = site.frontier
    if (size <= this.#parts.mostUrls || !this.#hasPeers || site.mode.is !== 'crawling') return false
    return size > (this.#futile.get(site.cell) ?? 0) && rangeOf(site.cell) !== null
  }

  /**
   * Of a site that is being left, everything of it committed: its queue is what the ledger's last pack makes
   * it.
   */
  async split(site: SiteCrawl): Promise<void> {
    const { ledger, clock, cells, bus, log, mostUrls } = this.#parts
    const { cell, lease, frontier } = site
    const pieces = Math.ceil((2 * frontier.size) / mostUrls)
    const most = Math.min(LIMITS.splitPieces, Math.max(2, pieces))
    const plan = await planSplit(() => frontier.queuedUrls(), rangeOf(cell)!, most)
    if (plan === null) {
      if (this.#futile.size >= FUTILE_CELLS) this.#futile.clear()
      this.#futile.set(cell, frontier.size * GROWN)
      await ledger.release(cell, lease.epoch, 'tail')
      return
    }
    const children = plan.map(({ queued, ...range }) => ({ cell: rangeCell(site.site, range), queued }))
    if (!(await ledger.rest(cell, lease.epoch, clock.now() + ASIDE_MS))) return
    if (!(await ledger.split(cell, lease.epoch, site.lastPack, children))) return
    const names = children.map(child => child.cell)
    cells.learn(cell, names)
    log('site split', { cell, children })
    bus.send({ kind: 'inbox', cells: names })
  }
}
