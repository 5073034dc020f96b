/** New rows in inboxes: of cells in hand, which look at once, and of others, whose agents are told. */
import type { Bus, Heartbeat } from '../cluster/index.js'
import type { CellId } from '../model/cell.js'
import type { SiteCrawl } from './site-crawl.js'

export class InboxNews {
  readonly #bus: Bus
  readonly #sites: () => ReadonlyMap<CellId, SiteCrawl>

  constructor(bus: Bus, sites: () => ReadonlyMap<CellId, SiteCrawl>) {
    this.#bus = bus
    this.#sites = sites
  }

  /** Cells that gained rows by our own commit; true when some are not in our hands. */
  sent(cells: ReadonlySet<CellId>): boolean {
    const others = [...cells].filter(cell => !this.#hasRows(cell))
    if (others.length > 0) this.#bus.send({ kind: 'inbox', cells: others })
    return others.length > 0
  }

  /** The same as told on the bus. */
  heard(cells: readonly CellId[]): boolean {
    let hasOthers = false
    for (const cell of cells) if (!this.#hasRows(cell)) hasOthers = true
    return hasOthers
  }

  /** Rows that the ledger counts and we were not told of. */
  counted({ held }: Heartbeat): void {
    for (const { cell, epoch, appended } of held) {
      const site = this.#sites().get(cell)
      if (site?.lease.epoch !== epoch || appended === site.appendedSeen) continue
      site.appendedSeen = appended
      this.#hasRows(cell)
    }
  }

  /** True when the cell is in our hands. */
  #hasRows(cell: CellId): boolean {
    const site = this.#sites().get(cell)
    if (!site) return false
    site.inboxDirty = true
    site.wake.ring()
    return true
  }
}
