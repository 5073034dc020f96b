/** New rows in inboxes: of cells in hand, which look at once, and of others, whose agents are told. */
import type { Bus } from '../../../bus/index.js'
import type { Heartbeat } from '../../../ledger/index.js'
import type { CellId } from '../../../model/index.js'
import type { SiteCrawl } from '../site/index.js'
import type { RouteClaimer } from './route-claimer.js'

export class InboxNotices {
  readonly #bus: Bus
  readonly #sites: () => ReadonlyMap<CellId, SiteCrawl>
  readonly #routes: RouteClaimer | null

  constructor(bus: Bus, sites: () => ReadonlyMap<CellId, SiteCrawl>, routes: RouteClaimer | null) {
    this.#bus = bus
    this.#sites = sites
    this.#routes = routes
  }

  /**
   * Cells that gained rows by our own commit; true when some are not in our hands. Where we know their owners
   * only those are told.
   */
  sent(cells: ReadonlySet<CellId>): boolean {
    const others = [...cells].filter(cell => !this.#hasRows(cell))
    if (others.length === 0) return false
    const forAll = this.#routes === null ? others : this.#routes.tell(others)
    if (forAll.length > 0) this.#bus.send({ kind: 'inbox', cells: forAll })
    return true
  }

  /** The same as told on the bus: those that are not in our hands. */
  heard(cells: readonly CellId[]): CellId[] {
    return cells.filter(cell => !this.#hasRows(cell))
  }

  /** Rows that the ledger counts and we were not told of. */
  counted({ held }: Heartbeat): void {
    for (const { cell, epoch, appended } of held) {
      const site = this.#sites().get(cell)
      if (site?.lease.epoch !== epoch || !site.countedInbox(appended)) continue
      this.#hasRows(cell)
    }
  }

  /** True when the cell is in our hands. */
  #hasRows(cell: CellId): boolean {
    const site = this.#sites().get(cell)
    if (!site) return false
    site.inboxGrew()
    site.wake.notify()
    return true
  }
}
