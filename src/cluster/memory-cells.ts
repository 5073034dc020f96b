/** Lives, leases and the end, in memory: the same rules as `sqlite-cells.ts`. */
import { type CellId, type Epoch, type Lease, ownTurn, siteOfCell } from '../model/cell.js'
import type { Millis } from '../model/clock.js'
import type { FinishReason, Heartbeat, Incarnation, WaitingCell } from './ledger.js'
import type { CellRow, MemoryState } from './memory-state.js'
import type { MemoryTurns } from './memory-turns.js'

export class MemoryCells {
  readonly #state: MemoryState
  readonly #now: () => Millis
  readonly #turns: MemoryTurns
  /** No lease ends before this: nothing has to be looked through until then. */
  #firstEnd: Millis = Number.POSITIVE_INFINITY

  constructor(state: MemoryState, now: () => Millis, turns: MemoryTurns) {
    this.#state = state
    this.#now = now
    this.#turns = turns
  }

  join(agent: string): Incarnation {
    const { lives } = this.#state
    const incarnation = lives.length + 1
    lives.push({
      incarnation,
      name: agent,
      open: true,
      heartbeatAt: this.#now(),
      budget: 0,
      status: '{}',
      pages: 0,
      bytes: 0,
      fetches: 0,
      fetchMs: 0,
      held: new Set(),
      turns: new Set(),
    })
    return incarnation
  }

  leave(incarnation: Incarnation): void {
    const life = this.#state.life(incarnation)
    if (!life) return
    life.open = false
    life.budget = 0
    for (const row of byRankDown(life.held)) this.#failed(row)
    this.#turns.leave(incarnation)
  }

  endAllLeases(): void {
    for (const { incarnation, open } of [...this.#state.lives].reverse()) if (open) this.leave(incarnation)
  }

  heartbeat(incarnation: Incarnation, leaseMs: Millis, status: string): Heartbeat {
    const now = this.#now()
    const state = this.#state
    // Nobody heard from for a whole lease: the agents may live and only the ledger was away.
    if (state.lastHeartbeat > 0 && now - state.lastHeartbeat > leaseMs) state.gapUntil = now + leaseMs
    state.lastHeartbeat = now
    const life = state.life(incarnation)
    const held: Heartbeat['held'][number][] = []
    if (life?.open) {
      life.heartbeatAt = now
      life.status = status
      life.fetches = Math.max(life.fetches, fetchesIn(status))
      for (const row of life.held) {
        row.leaseUntil = now + leaseMs
        held.push({ cell: row.cell, epoch: row.epoch, appended: row.appended })
      }
    }
    this.#wakeRested()
    return {
      now,
      held,
      waiting: state.counts.waiting,
      settings: Object.fromEntries(state.settings),
      crawlOpen: state.open,
    }
  }

  waiting(limit: number, incarnation?: Incarnation): WaitingCell[] {
    this.#reclaimExpired()
    this.#wakeRested()
    const { order, turns } = this.#state
    const fits = (row: CellRow) => {
      const holder = turns.get(row.group)?.agent ?? null
      return incarnation === undefined || holder === null || holder === incarnation
    }
    return order.waiting.first(limit, fits).map(row => ({
      cell: row.cell,
      group: row.group,
      rank: row.rank,
      size: Math.max(row.sizeEstimate, row.pages),
      backlog: row.appended - row.consumed,
    }))
  }

  grant(incarnation: Incarnation, cells: readonly CellId[], leaseMs: Millis, delayMs: Millis): Lease[] {
    if (!this.#state.life(incarnation)?.open || !this.#state.open) return []
    const leases: Lease[] = []
    for (const cell of [...cells].sort()) {
      const lease = this.#grantOne(incarnation, cell, leaseMs, delayMs)
      if (lease) leases.push(lease)
    }
    return leases
  }

  release(cell: CellId, epoch: Epoch, where: 'head' | 'tail'): boolean {
    const row = this.#heldRow(cell, epoch)
    if (!row) return false
    if (where === 'head') this.#toHead(row)
    else this.#toWaiting(row, ++this.#state.nextRank)
    return true
  }

  /** A test on this row alone. */
  finish(cell: CellId, epoch: Epoch): boolean {
    const row = this.#heldRow(cell, epoch)
    if (!row || (this.#state.rules.testsFinish && row.appended !== row.consumed)) return false
    this.#giveUp(row)
    this.#state.move(row, 'finished')
    return true
  }

  park(cell: CellId, epoch: Epoch, until: Millis, why: string): boolean {
    const row = this.#heldRow(cell, epoch)
    if (!row) return false
    this.#giveUp(row)
    row.parkedUntil = Math.ceil(until)
    row.parkedWhy = why
    this.#state.move(row, 'parked', row.parkedUntil)
    return true
  }

  rest(cell: CellId, epoch: Epoch, until: Millis): boolean {
    const row = this.#heldRow(cell, epoch)
    if (!row) return false
    this.#giveUp(row)
    this.#state.move(row, 'resting', Math.ceil(until))
    return true
  }

  defer(waits: readonly { readonly cell: CellId; readonly until: Millis }[]): void {
    for (const { cell, until } of waits) {
      const row = this.#state.cells.get(cell)
      if (row?.state === 'waiting') this.#state.move(row, 'resting', Math.ceil(until))
    }
  }

  takeBudget(incarnation: Incarnation, want: number): { granted: number; outstanding: number } {
    const { maxPages, pages, lives } = this.#state
    if (maxPages === null) return { granted: want, outstanding: 0 }
    const out = lives.reduce((sum, life) => sum + (life.open ? life.budget : 0), 0)
    const granted = Math.max(0, Math.min(want, maxPages - pages - out))
    const life = this.#state.life(incarnation)
    if (life?.open) life.budget += granted
    return { granted, outstanding: out + granted }
  }

  tryEnd(): FinishReason | null {
    const state = this.#state
    if (!state.open) return state.finishReason
    this.#reclaimExpired()
    const { counts, maxPages, pages } = state
    if (counts.leased > 0 || counts.draining > 0) return null
    const waiting = counts.waiting + counts.resting
    if (waiting > 0 && !(maxPages !== null && pages >= maxPages)) return null
    state.open = false
    state.finishReason = waiting > 0 ? 'limit' : counts.parked > 0 ? 'parked' : 'done'
    return state.finishReason
  }

  reopen(): void {
    const state = this.#state
    state.open = true
    state.finishReason = null
    for (const row of [...state.order.parked]) state.move(row, 'waiting')
    for (const row of state.cells.values())
      if (row.state === 'finished' && row.appended > row.consumed) state.move(row, 'waiting')
  }

  #heldRow(cell: CellId, epoch: Epoch): CellRow | null {
    const row = this.#state.cells.get(cell)
    if (!row || row.epoch !== epoch || (row.state !== 'leased' && row.state !== 'draining')) return null
    return row
  }

  #grantOne(incarnation: Incarnation, cell: CellId, leaseMs: Millis, delayMs: Millis): Lease | null {
    const row = this.#state.cells.get(cell)
    if (row?.state !== 'waiting') return null
    const turn = this.#turns.take(incarnation, row.group, leaseMs, delayMs)
    if (!turn) return null
    const lastLease = row.leaseUntil
    const until = this.#now() + leaseMs
    this.#state.move(row, 'leased')
    this.#state.hold(row, incarnation)
    row.epoch++
    row.leaseUntil = until
    this.#firstEnd = Math.min(this.#firstEnd, until)
    const own = this.#turns.waitOf(ownTurn(siteOfCell(cell)))
    return {
      cell,
      epoch: row.epoch,
      until,
      lastPack: row.lastPack,
      cursor: row.cursor,
      notBefore: lastLease === 0 ? 0 : lastLease + Math.max(own.delayMs, delayMs),
      waitUntil: own.nextAllowed,
      turnFrom: turn.nextAllowed,
      delayMs: own.delayMs,
    }
  }

  /** The lease ends; the turn of the group goes with its last lease. */
  #giveUp(row: CellRow): void {
    const { agent } = row
    const now = this.#now()
    this.#state.hold(row, null)
    row.leaseUntil = Math.min(row.leaseUntil, now)
    if (agent !== null) this.#turns.freeIfUnused(agent, row.group, now)
  }

  /** Cells whose rest is over join the tail of S, and so do set-aside ones whose time comes while the crawl still runs. */
  #wakeRested(): void {
    const now = this.#now()
    const { order } = this.#state
    const due = [
      ...order.resting.between(Number.NEGATIVE_INFINITY, now),
      ...order.parked.between(1, now),
    ].sort((a, b) => a.rank - b.rank)
    for (const row of due) this.#toWaiting(row, ++this.#state.nextRank)
  }

  /** Leases that ended without a renewal: their cells go to the head of S, unless the ledger itself was away. */
  #reclaimExpired(): void {
    const now = this.#now()
    if (this.#firstEnd >= now || this.#state.gapUntil > now) return
    const expired: CellRow[] = []
    let firstEnd = Number.POSITIVE_INFINITY
    for (const { held } of this.#state.lives) {
      for (const row of held) {
        if (row.leaseUntil < now) expired.push(row)
        else firstEnd = Math.min(firstEnd, row.leaseUntil)
      }
    }
    this.#firstEnd = firstEnd
    for (const row of byRankDown(expired)) this.#failed(row)
  }

  /** D16. */
  #failed(row: CellRow): void {
    if (this.#state.rules.failedGoTo === 'head') this.#toHead(row)
    else this.#toWaiting(row, ++this.#state.nextRank)
  }

  #toHead(row: CellRow): void {
    this.#toWaiting(row, --this.#state.firstRank)
  }

  #toWaiting(row: CellRow, rank: number): void {
    const now = this.#now()
    const { agent, leaseUntil } = row
    this.#state.hold(row, null)
    this.#state.move(row, 'waiting', rank)
    row.leaseUntil = Math.min(leaseUntil, now)
    if (agent !== null) this.#turns.freeIfUnused(agent, row.group, Math.min(leaseUntil, now))
  }
}

/** The last of S first: put at the head one by one, they keep their order. */
function byRankDown(rows: Iterable<CellRow>): CellRow[] {
  return [...rows].sort((a, b) => b.rank - a.rank || b.id - a.id)
}

function fetchesIn(status: string): number {
  const told = JSON.parse(status) as { fetches?: unknown }
  return Number(told.fetches ?? 0)
}
