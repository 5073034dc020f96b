/** New inbox rows: wakes the sites that have some, and notifies the agents of other cells. */
import type { Bus } from '../../../bus/index.js'
import type { Heartbeat } from '../../../ledger/index.js'
import type { CellId, WakeUp } from '../../../model/index.js'
import type { HeldCells } from './held-cells.js'
import type { RouteClaimer } from './route-claimer.js'
import type { ShardClaimer } from './shard-claimer.js'
import type { Slices } from './slices.js'

export interface InboxNoticesParts {
  readonly bus: Bus
  readonly heldCells: HeldCells
  readonly routes: RouteClaimer | null
  readonly shards: ShardClaimer | null
  readonly slices: Slices
  readonly wake: WakeUp
}

export class InboxNotices {
  readonly #parts: InboxNoticesParts

  constructor(parts: InboxNoticesParts) {
    this.#parts = parts
  }

  /** This agent has committed rows for these cells. Only their owners are notified where they are known. */
  committed(cells: ReadonlySet<CellId>): void {
    const { bus, routes, shards, slices, wake } = this.#parts
    const others = [...cells].filter(cell => !this.#wakeSite(cell))
    if (others.length === 0) return
    const forAll = routes === null ? others : routes.notifyOwners(others)
    if (forAll.length > 0) bus.send({ kind: 'inbox', cells: forAll })
    shards?.recheck()
    slices.waitingCells++
    wake.notify()
  }

  /** Another agent has committed rows for these cells. Those that nobody holds may be ours to claim. */
  received(cells: readonly CellId[]): void {
    const { routes, shards, wake } = this.#parts
    const others = cells.filter(cell => !this.#wakeSite(cell))
    if (others.length === 0 || (shards === null && routes === null)) return
    shards?.recheck()
    routes?.noteCells(others)
    wake.notify()
  }

  /** Finds rows whose notice was lost, by the counts of the ledger. */
  compare({ held }: Heartbeat): void {
    for (const { cell, epoch, appended } of held) {
      const site = this.#parts.heldCells.sites.get(cell)
      if (site?.lease.epoch === epoch && site.inbox.counted(appended)) this.#wakeSite(cell)
    }
  }

  /** False if this agent does not hold the cell. */
  #wakeSite(cell: CellId): boolean {
    const site = this.#parts.heldCells.sites.get(cell)
    if (!site) return false
    site.inbox.grew()
    site.wake.notify()
    return true
  }
}
