/** Opens a leased cell: its queue from the journal, its robots rules, its pace. */
import type { Ledger } from '../cluster/index.js'
import type { Fetcher } from '../fetch/index.js'
import { type CellFrontier, type FrontierSpace, rebuildCell } from '../frontier/index.js'
import { type GroupId, type Grouping, groupOf, type Lease, siteOfCell } from '../model/cell.js'
import type { Clock } from '../model/clock.js'
import { GroupPace } from './group-pace.js'
import { OriginGate } from './origin-gate.js'
import { SiteCrawl } from './site-crawl.js'
import { Wake } from './wake.js'

const JOURNAL_BATCH_BYTES = 4 * 1024 * 1024

export interface SiteDeskParts {
  readonly clock: Clock
  readonly ledger: Ledger
  readonly fetcher: Fetcher
  readonly space: FrontierSpace
  readonly grouping: Grouping
  readonly robots: 'rfc9309' | 'ignore'
  readonly productToken: string
  readonly newFrontier: () => CellFrontier
  /** Pause to keep after the old lease's end: we do not know when its last request was. */
  readonly handOverMs: () => number
}

export class SiteDesk {
  readonly #parts: SiteDeskParts
  readonly #paces = new Map<GroupId, GroupPace>()
  #lastLane = 0

  constructor(parts: SiteDeskParts) {
    this.#parts = parts
  }

  async open(lease: Lease): Promise<SiteCrawl> {
    const { clock, ledger, fetcher, grouping, robots, productToken } = this.#parts
    const { cell } = lease
    const group = groupOf(siteOfCell(cell), grouping)
    const pace = this.#paceOf(group)
    if (lease.notBefore > 0) pace.postpone(lease.notBefore + this.#parts.handOverMs())
    const gate = new OriginGate(
      { cell, ledger, fetcher, clock, mode: robots, productToken },
      await ledger.loadOrigins(cell),
    )
    const frontier = this.#parts.newFrontier()
    if (lease.lastPack > 0) await rebuildCell(() => this.#journal(lease), frontier, this.#parts.space)
    return new SiteCrawl({ lease, group, lane: ++this.#lastLane, frontier, pace, gate }, new Wake(clock))
  }

  #paceOf(group: GroupId): GroupPace {
    let pace = this.#paces.get(group)
    if (!pace) {
      pace = new GroupPace(this.#parts.clock, 0)
      this.#paces.set(group, pace)
    }
    return pace
  }

  async *#journal(lease: Lease): AsyncIterable<Uint8Array> {
    for (let from = 1; from <= lease.lastPack; ) {
      const batch = await this.#parts.ledger.readJournal(lease.cell, from, JOURNAL_BATCH_BYTES)
      if (batch.length === 0) return
      for (const { journal } of batch) yield journal
      from = batch[batch.length - 1].number + 1
    }
  }
}
