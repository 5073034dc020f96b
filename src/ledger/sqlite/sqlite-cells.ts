/** Incarnations of agents, leases of cells, and the end: the rows that say who may do what. */

import { type CellId, type Epoch, type Lease, type Millis, ownTurn, siteOfCell } from '../../model/index.js'
import {
  CELL_STATES,
  type CellState,
  type FinishReason,
  type Heartbeat,
  INTERNAL_SETTINGS,
  type Incarnation,
  MOST_COUNTED,
} from '../index.js'
import { endOfCrawl, firstAllowed, gapAfter, mayBeGranted } from '../rules/index.js'
import type { SqliteDatabase } from './sqlite-database.js'
import type { SqliteIncarnations } from './sqlite-incarnations.js'
import type { SqliteOrder } from './sqlite-order.js'
import type { SqliteSplits } from './sqlite-splits.js'
import type { SqliteTurns } from './sqlite-turns.js'

export interface LeaseTables {
  readonly order: SqliteOrder
  readonly turns: SqliteTurns
  readonly incarnations: SqliteIncarnations
  readonly splits: SqliteSplits
}

const SETTINGS = 'SELECT name, value FROM setting'
const TOLD_SETTINGS = `${SETTINGS} WHERE ${INTERNAL_SETTINGS.map(start => `name NOT LIKE '${start}%'`).join(' AND ')}`

export class SqliteCells {
  readonly #db: SqliteDatabase
  readonly #now: () => Millis
  readonly #order: SqliteOrder
  readonly #turns: SqliteTurns
  readonly #incarnations: SqliteIncarnations
  readonly #splits: SqliteSplits

  constructor(db: SqliteDatabase, now: () => Millis, tables: LeaseTables) {
    this.#db = db
    this.#now = now
    this.#order = tables.order
    this.#turns = tables.turns
    this.#incarnations = tables.incarnations
    this.#splits = tables.splits
  }

  /**
   * Closing returns the unused page budget and puts the cells of that incarnation at the head of the queue
   * (D16).
   */
  leave(incarnation: Incarnation): void {
    this.#db.run('UPDATE agent SET open = 0, budget = 0 WHERE incarnation = ?', incarnation)
    const held = this.#db.all(
      `SELECT cell FROM cell WHERE agent = ? AND state IN ('leased', 'draining') ORDER BY rank DESC`,
      incarnation,
    )
    for (const [cell] of held) this.#order.toHead(String(cell))
    this.#turns.leave(incarnation)
  }

  closeSilent(silentMs: Millis): Incarnation[] {
    const silent = this.#incarnations.silent(silentMs)
    for (const incarnation of silent) this.leave(incarnation)
    return silent
  }

  endAllLeases(): void {
    const open = this.#db.all('SELECT incarnation FROM agent WHERE open = 1 ORDER BY incarnation DESC')
    for (const [incarnation] of open) this.leave(Number(incarnation))
  }

  heartbeat(incarnation: Incarnation, leaseMs: Millis, status: string): Heartbeat {
    const now = this.#now()
    const [state, last, gap, grants] = this.#db.first(
      'SELECT state, last_heartbeat, gap_until, grants FROM crawl',
    )!
    const heard = { lastHeartbeat: Number(last), gapUntil: Number(gap) }
    this.#db.run('UPDATE crawl SET last_heartbeat = ?, gap_until = ?', now, gapAfter(heard, now, leaseMs))
    const open = this.#db.run(
      'UPDATE agent SET heartbeat_at = ?, status = ? WHERE incarnation = ? AND open = 1',
      now,
      status,
      incarnation,
    )
    const held = open ? this.#renew(incarnation, now, leaseMs) : []
    this.#order.wakeRested()
    const [waiting] = this.#db.first(
      `SELECT count(*) FROM (SELECT 1 FROM cell WHERE state = 'waiting' LIMIT ${MOST_COUNTED})`,
    )!
    return {
      now,
      held,
      grants: Number(grants),
      waiting: Number(waiting),
      settings: Object.fromEntries(this.#db.all(TOLD_SETTINGS)) as Record<string, string>,
      crawlOpen: state === 'open',
      incarnationOpen: open > 0,
      share: this.#incarnations.share(incarnation),
    }
  }

  settings(): Record<string, string> {
    return Object.fromEntries(this.#db.all(SETTINGS)) as Record<string, string>
  }

  grant(
    incarnation: Incarnation,
    cells: readonly CellId[],
    leaseMs: Millis,
    delayMs: Millis,
    lane = 0,
  ): Lease[] {
    const isOpen = this.#incarnations.isOpen(incarnation)
    const [crawl, first] = this.#db.first('SELECT state, grants FROM crawl')!
    let last = Number(first)
    for (const cell of [...cells].sort()) {
      const [state] = this.#db.first('SELECT state FROM cell WHERE cell = ?', cell) ?? []
      if (!mayBeGranted(state as CellState | undefined, crawl === 'open', isOpen)) continue
      if (this.#grantOne(incarnation, cell, leaseMs, delayMs, last + 1, lane)) last++
    }
    this.#db.run('UPDATE crawl SET grants = ?', last)
    return this.leases(incarnation, Number(first))
  }

  leases(incarnation: Incarnation, after: number): Lease[] {
    return this.#db
      .all(
        `SELECT c.cell, c.epoch, c.lease_until, c.last_pack, c.inbox_cursor, c.not_before, c.grant_number, c.lane,
           coalesce(t.next_allowed, 0), c.appended
         FROM cell c LEFT JOIN turn t ON t.grp = c.grp WHERE c.agent = ? AND c.grant_number > ?
         ORDER BY c.grant_number`,
        incarnation,
        after,
      )
      .map(([cell, epoch, until, lastPack, cursor, notBefore, grant, lane, turnFrom, appended]) => {
        const own = this.#turns.waitOf(ownTurn(siteOfCell(String(cell))))
        return {
          cell: String(cell),
          epoch: Number(epoch),
          until: Number(until),
          lastPack: Number(lastPack),
          cursor: Number(cursor),
          appended: Number(appended),
          notBefore: Number(notBefore),
          waitUntil: own.nextAllowed,
          turnFrom: Number(turnFrom),
          delayMs: own.delayMs,
          grant: Number(grant),
          lane: Number(lane),
        }
      })
  }

  release(cell: CellId, epoch: Epoch, where: 'head' | 'tail'): boolean {
    const held = this.#db.first(
      `SELECT 1 FROM cell WHERE cell = ? AND epoch = ? AND state IN ('leased', 'draining')`,
      cell,
      epoch,
    )
    if (!held) return false
    if (where === 'head') this.#order.toHead(cell)
    else this.#order.toTail(cell)
    return true
  }

  /** A test on this row alone: a query over the inbox would miss an append that commits meanwhile. */
  finish(cell: CellId, epoch: Epoch): boolean {
    return this.#giveUp(cell, epoch, `state = 'finished'`, 'AND appended = consumed')
  }

  /** While a cell is parked or rests, its rank is the time that ends: the index finds those that are due. */
  park(cell: CellId, epoch: Epoch, until: Millis, why: string): boolean {
    return this.#giveUp(
      cell,
      epoch,
      `state = 'parked', rank = ?, parked_until = ?, parked_why = ?`,
      '',
      Math.ceil(until),
      Math.ceil(until),
      why,
    )
  }

  rest(cell: CellId, epoch: Epoch, until: Millis): boolean {
    return this.#giveUp(cell, epoch, `state = 'resting', rank = ?`, '', Math.ceil(until))
  }

  /** One transaction looks at everything and closes the crawl row: appends after it are refused. */
  tryEnd(): FinishReason | null {
    const [state, max, pages, reason] = this.#db.first(
      'SELECT state, max_pages, pages, finish_reason FROM crawl',
    )!
    if (state === 'closed') return String(reason) as FinishReason
    this.#order.reclaimExpired()
    // Whether there is one is all that counts: how many there are would be read from an index of all cells.
    const states = CELL_STATES.filter(name =>
      this.#db.first('SELECT 1 FROM cell WHERE state = ? LIMIT 1', name),
    )
    const why = endOfCrawl(
      Object.fromEntries(states.map(name => [name, 1])),
      Number(pages),
      max === null ? null : Number(max),
    )
    if (why === null) return null
    this.#db.run(`UPDATE crawl SET state = 'closed', finish_reason = ?`, why)
    return why
  }

  reopen(): void {
    this.#db.run(`UPDATE crawl SET state = 'open', finish_reason = NULL`)
    this.#db.run(`UPDATE cell SET state = 'waiting' WHERE state = 'parked'`)
    this.#db.run(`UPDATE cell SET state = 'waiting' WHERE state = 'finished' AND appended > consumed`)
  }

  /**
   * One that has ended only while the turn of its group is still ours: somebody may have taken that for a
   * hop.
   */
  #renew(incarnation: Incarnation, now: Millis, leaseMs: Millis): Heartbeat['held'] {
    return this.#db
      .all(
        `UPDATE cell SET lease_until = ? WHERE agent = ? AND state IN ('leased', 'draining') AND (lease_until >= ?
           OR EXISTS (SELECT 1 FROM turn WHERE turn.grp = cell.grp AND turn.agent = cell.agent))
         RETURNING cell, epoch, appended`,
        now + leaseMs,
        incarnation,
        now,
      )
      .map(([cell, epoch, appended]) => ({
        cell: String(cell),
        epoch: Number(epoch),
        appended: Number(appended),
      }))
  }

  #grantOne(
    incarnation: Incarnation,
    cell: CellId,
    leaseMs: Millis,
    delayMs: Millis,
    number: number,
    lane: number,
  ): boolean {
    const before = this.#db.first('SELECT lease_until, grp FROM cell WHERE cell = ?', cell)!
    const turn = this.#turns.take(incarnation, String(before[1]), leaseMs, delayMs)
    if (!turn) return false
    const own = this.#turns.waitOf(ownTurn(siteOfCell(cell)))
    const lastLease = this.#splits.lastLeaseOf(cell, Number(before[0]))
    this.#db.run(
      `UPDATE cell SET state = 'leased', agent = ?, epoch = epoch + 1, lease_until = ?, not_before = ?,
         grant_number = ?, lane = ? WHERE cell = ?`,
      incarnation,
      this.#now() + leaseMs,
      Math.ceil(firstAllowed(lastLease, own.delayMs, delayMs)),
      number,
      lane,
      cell,
    )
    return true
  }

  /** The lease ends; the turn of the group goes with its last lease. */
  #giveUp(
    cell: CellId,
    epoch: Epoch,
    set: string,
    condition: string,
    ...values: (string | number)[]
  ): boolean {
    const [agent, group] = this.#db.first('SELECT agent, grp FROM cell WHERE cell = ?', cell) ?? [null, '']
    const now = this.#now()
    const changed = this.#db.run(
      `UPDATE cell SET ${set}, agent = NULL, lease_until = min(lease_until, ?)
       WHERE cell = ? AND epoch = ? AND state IN ('leased', 'draining') ${condition}`,
      ...values,
      now,
      cell,
      epoch,
    )
    if (changed > 0) this.#turns.freeIfUnused(Number(agent), String(group), now)
    return changed > 0
  }
}
