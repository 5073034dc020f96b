/** Incarnations, leases and the end, in memory; the order of calls is that of `ledger/sql/`. */

import {
  type CellId,
  type Epoch,
  type GroupId,
  type Lease,
  type Millis,
  ownTurn,
  siteOfCell,
} from '../../model/index.js'
import {
  type FinishReason,
  type Heartbeat,
  type Incarnation,
  MOST_COUNTED,
  type WaitingCell,
} from '../index.js'
import {
  endOfCrawl,
  firstAllowed,
  gapAfter,
  hasExpired,
  isHeldUnder,
  isOffered,
  isRenewable,
  mayBeGranted,
  mayFinish,
} from '../rules/index.js'
import type { MemoryIncarnations } from './memory-incarnations.js'
import { lastLeaseOf } from './memory-splits.js'
import type { CellRow, MemoryState } from './memory-state.js'
import type { MemoryTurns } from './memory-turns.js'

export class MemoryCells {
  readonly #state: MemoryState
  readonly #now: () => Millis
  readonly #turns: MemoryTurns
  /** No lease ends before this time, so none has to be examined until then. */
  #firstEnd: Millis = Number.POSITIVE_INFINITY

  readonly #incarnations: MemoryIncarnations

  constructor(state: MemoryState, now: () => Millis, turns: MemoryTurns, incarnations: MemoryIncarnations) {
    this.#state = state
    this.#now = now
    this.#turns = turns
    this.#incarnations = incarnations
  }

  leave(incarnation: Incarnation): void {
    const incarnationRow = this.#state.incarnationRow(incarnation)
    if (!incarnationRow) return
    if (incarnationRow.open && incarnationRow.lanes > 0) this.#state.crawling--
    incarnationRow.open = false
    incarnationRow.budget = 0
    for (const row of byRankDown(incarnationRow.held)) this.#failed(row)
    this.#turns.leave(incarnation)
  }

  closeSilent(silentMs: Millis): Incarnation[] {
    const silent = this.#incarnations.silent(silentMs)
    for (const incarnation of silent) this.leave(incarnation)
    return silent
  }

  endAllLeases(): void {
    for (const { incarnation, open } of [...this.#state.incarnations].reverse())
      if (open) this.leave(incarnation)
  }

  heartbeat(incarnation: Incarnation, leaseMs: Millis, status: string): Heartbeat {
    const now = this.#now()
    const state = this.#state
    state.gapUntil = gapAfter(state, now, leaseMs)
    state.lastHeartbeat = now
    const incarnationRow = state.incarnationRow(incarnation)
    const held: Heartbeat['held'][number][] = []
    if (incarnationRow?.open) {
      incarnationRow.heartbeatAt = now
      incarnationRow.status = status
      incarnationRow.seen = null
      for (const row of incarnationRow.held) {
        if (!isRenewable(row.leaseUntil, now, state.turns.get(row.group)?.agent === incarnation)) continue
        row.leaseUntil = now + leaseMs
        held.push({ cell: row.cell, epoch: row.epoch, appended: row.appended })
      }
    }
    this.#wakeRested()
    return {
      now,
      held,
      grants: state.grants,
      waiting: Math.min(state.counts.waiting, MOST_COUNTED),
      settings: state.publicSettings,
      crawlOpen: state.open,
      incarnationOpen: incarnationRow?.open ?? false,
      share: this.#incarnations.share(incarnation),
    }
  }

  waiting(limit: number, eligible?: readonly Incarnation[]): WaitingCell[] {
    this.#reclaimExpired()
    this.#wakeRested()
    const { order, turns } = this.#state
    const eligibleIncarnations = eligible === undefined ? null : new Set(eligible)
    const fits = (row: CellRow) =>
      isOffered(row.state, turns.get(row.group)?.agent ?? null, eligibleIncarnations)
    return order.waiting.first(limit, fits).map(row => {
      const own = turns.get(row.group)
      const held = own && own.agent !== null ? own : this.#turns.addressTurn(siteOfCell(row.cell))
      return {
        cell: row.cell,
        group: row.group,
        rank: row.rank,
        size: Math.max(row.sizeEstimate, row.pages),
        backlog: row.appended - row.consumed,
        turnOf: held?.agent ?? null,
        turn: held?.group ?? row.group,
        boundTo: this.#state.bound.get(row.cell) ?? null,
      }
    })
  }

  grant(
    incarnation: Incarnation,
    cells: readonly CellId[],
    leaseMs: Millis,
    delayMs: Millis,
    lane = 0,
  ): Lease[] {
    const leases: Lease[] = []
    for (const cell of [...cells].sort()) {
      const row = this.#grantOne(incarnation, cell, leaseMs, delayMs, lane)
      if (row) leases.push(this.#leaseOf(row))
    }
    return leases
  }

  leases(incarnation: Incarnation, after: number): Lease[] {
    const rows: CellRow[] = []
    for (const row of this.#state.incarnationRow(incarnation)?.held ?? [])
      if (row.grant > after) rows.push(row)
    return rows.sort((a, b) => a.grant - b.grant).map(row => this.#leaseOf(row))
  }

  estimate(sizes: readonly { readonly cell: CellId; readonly size: number }[]): void {
    for (const { cell, size } of sizes) {
      const row = this.#state.cells.get(cell)
      if (row) row.sizeEstimate = Math.round(size)
    }
  }

  rankBySize(): void {
    const size = (row: CellRow) => Math.max(row.sizeEstimate, row.pages)
    const rows = [...this.#state.order.waiting].sort((a, b) => size(b) - size(a) || a.rank - b.rank)
    for (const row of rows) this.#state.move(row, 'waiting', ++this.#state.nextRank)
  }

  release(cell: CellId, epoch: Epoch, where: 'head' | 'tail'): boolean {
    const row = this.#heldRow(cell, epoch)
    if (!row) return false
    if (where === 'head') this.#toHead(row)
    else this.#toWaiting(row, ++this.#state.nextRank)
    return true
  }

  /** Decides by the row of the cell alone. */
  finish(cell: CellId, epoch: Epoch): boolean {
    const row = this.#heldRow(cell, epoch)
    if (!row || (!mayFinish(row, epoch) && this.#state.keeps('tests-finish'))) return false
    this.#endLease(row)
    this.#state.move(row, 'finished')
    return true
  }

  park(cell: CellId, epoch: Epoch, until: Millis, why: string): boolean {
    const row = this.#heldRow(cell, epoch)
    if (!row) return false
    this.#endLease(row)
    row.parkedUntil = Math.ceil(until)
    row.parkedWhy = why
    this.#state.move(row, 'parked', row.parkedUntil)
    return true
  }

  rest(cell: CellId, epoch: Epoch, until: Millis): boolean {
    const row = this.#heldRow(cell, epoch)
    if (!row) return false
    this.#endLease(row)
    this.#state.move(row, 'resting', Math.ceil(until))
    return true
  }

  defer(waits: readonly { readonly cell: CellId; readonly until: Millis }[]): void {
    for (const { cell, until } of waits) {
      const row = this.#state.cells.get(cell)
      if (row?.state === 'waiting') this.#state.move(row, 'resting', Math.ceil(until))
    }
  }

  tryEnd(): FinishReason | null {
    const state = this.#state
    if (!state.open) return state.finishReason
    this.#reclaimExpired()
    const { counts, maxPages, pages } = state
    const reason = state.keeps('tests-end')
      ? endOfCrawl(counts, pages, maxPages)
      : endOfCrawl({ ...counts, leased: 0, draining: 0 }, pages, 0)
    if (reason === null) return null
    state.open = !state.keeps('latches-end')
    state.finishReason = reason
    return reason
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
    return row && isHeldUnder(row.state, row.epoch, epoch) ? row : null
  }

  #grantOne(
    incarnation: Incarnation,
    cell: CellId,
    leaseMs: Millis,
    delayMs: Millis,
    lane: number,
  ): CellRow | null {
    const row = this.#state.cells.get(cell)
    if (row && !this.#state.keeps('leases-the-waiting')) this.#robHolder(row, incarnation)
    const isOpen = this.#state.incarnationRow(incarnation)?.open ?? false
    if (!row || !mayBeGranted(row.state, this.#state.open, isOpen)) return null
    const turn = this.#turns.take(incarnation, row.group, leaseMs, delayMs)
    if (!turn) return null
    const lastLease = lastLeaseOf(this.#state, row)
    const until = this.#now() + leaseMs
    const own = this.#turns.waitOf(ownTurn(siteOfCell(cell)))
    this.#state.move(row, 'leased')
    this.#state.hold(row, incarnation)
    if (this.#state.keeps('raises-epochs') || row.epoch === 0) row.epoch++
    row.leaseUntil = until
    row.notBefore = Math.ceil(firstAllowed(lastLease, own.delayMs, delayMs))
    row.grant = ++this.#state.grants
    row.lane = lane
    this.#firstEnd = Math.min(this.#firstEnd, until)
    return row
  }

  /** For the mutant without `leases-the-waiting`: takes the cell from its holder. */
  #robHolder(row: CellRow, robber: Incarnation): void {
    if (row.state !== 'leased' || row.agent === robber) return
    this.#endLease(row)
    this.#state.move(row, 'waiting')
  }

  #leaseOf(row: CellRow): Lease {
    const own = this.#turns.waitOf(ownTurn(siteOfCell(row.cell)))
    return {
      cell: row.cell,
      epoch: row.epoch,
      until: row.leaseUntil,
      lastPack: row.lastPack,
      cursor: row.cursor,
      appended: row.appended,
      notBefore: row.notBefore,
      waitUntil: own.nextAllowed,
      turnFrom: this.#turns.waitOf(row.group).nextAllowed,
      delayMs: own.delayMs,
      grant: row.grant,
      lane: row.lane,
    }
  }

  /** Ends a lease. The turn of the group ends with the last lease of the group. */
  #endLease(row: CellRow): void {
    const { agent } = row
    const now = this.#now()
    this.#state.hold(row, null)
    row.leaseUntil = Math.min(row.leaseUntil, now)
    if (agent !== null) this.#turns.freeIfUnused(agent, row.group, now)
  }

  /** Cells whose rest is over join the tail of the queue, and so do parked cells that are due. */
  #wakeRested(): void {
    const now = this.#now()
    const { order } = this.#state
    const due = [
      ...order.resting.between(Number.NEGATIVE_INFINITY, now),
      ...order.parked.between(1, now),
    ].sort((a, b) => a.rank - b.rank)
    for (const row of due) this.#toWaiting(row, ++this.#state.nextRank)
  }

  #reclaimExpired(): void {
    const now = this.#now()
    if (this.#firstEnd >= now || this.#state.gapUntil > now) return
    const expired: CellRow[] = []
    let firstEnd = Number.POSITIVE_INFINITY
    for (const { held } of this.#state.incarnations) {
      for (const row of held) {
        if (hasExpired(row.leaseUntil, now, this.#state)) expired.push(row)
        else firstEnd = Math.min(firstEnd, row.leaseUntil)
      }
    }
    this.#firstEnd = firstEnd
    const ends = latestEnds(expired)
    for (const row of byRankDown(expired)) this.#failed(row, ends.get(row.group))
  }

  /** A cell whose agent failed goes to the head of the queue (D16). */
  #failed(row: CellRow, heldUntil = 0): void {
    const rank = this.#state.keeps('failed-to-head') ? --this.#state.firstRank : ++this.#state.nextRank
    this.#toWaiting(row, rank, heldUntil)
  }

  #toHead(row: CellRow): void {
    this.#toWaiting(row, --this.#state.firstRank)
  }

  #toWaiting(row: CellRow, rank: number, heldUntil = 0): void {
    const now = this.#now()
    const { agent, leaseUntil } = row
    this.#state.hold(row, null)
    this.#state.move(row, 'waiting', rank)
    row.leaseUntil = Math.min(leaseUntil, now)
    const latest = Math.min(Math.max(leaseUntil, heldUntil), now)
    if (agent !== null) this.#turns.freeIfUnused(agent, row.group, latest)
  }
}

/** The turn of a group was held until the latest of its leases ended; one incarnation has all of them. */
function latestEnds(rows: Iterable<CellRow>): Map<GroupId, Millis> {
  const ends = new Map<GroupId, Millis>()
  for (const { group, leaseUntil } of rows) ends.set(group, Math.max(ends.get(group) ?? 0, leaseUntil))
  return ends
}

/** The last of the queue first: put at its head one by one, the cells keep their order. */
function byRankDown(rows: Iterable<CellRow>): CellRow[] {
  return [...rows].sort((a, b) => b.rank - a.rank || b.id - a.id)
}
