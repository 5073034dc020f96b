/** Incarnations of agents, leases of cells, and the end: the rows that decide which incarnation may write. */
import { type CellId, type Epoch, type Lease, type Millis, ownTurn, siteOfCell } from '../../model/index.js'
import {
  CELL_STATES,
  type CellState,
  type FinishReason,
  type Heartbeat,
  type Incarnation,
  MOST_COUNTED,
} from '../index.js'
import { endOfCrawl, firstAllowed, gapAfter, mayBeGranted } from '../rules/index.js'
import {
  countWaiting,
  isIncarnationOpen,
  leases,
  openIncarnations,
  publicSettings,
  shareOf,
  silentIncarnations,
  waits,
} from '../sql/index.js'
import { answer, type SqliteDatabase } from './sqlite-database.js'
import { HELD, reclaimExpired, toHead, toTail, wakeRested } from './sqlite-order.js'
import { lastLeaseOf } from './sqlite-splits.js'
import { freeIfUnused, leaveTurns, takeTurn } from './sqlite-turns.js'

export function join(db: SqliteDatabase, agent: string, lanes = 1): Incarnation {
  const row = db.first(
    `INSERT INTO agent (name, open, started_at, heartbeat_at, budget, status, lanes)
     VALUES (?1, 1, ?2, ?2, 0, '{}', ?3) RETURNING incarnation`,
    agent,
    db.now,
    lanes,
  )
  return Number(row![0])
}

/**
 * Ends an incarnation: frees the rest of its page budget and returns its cells to the head of the queue
 * (D16).
 */
export function leave(db: SqliteDatabase, incarnation: Incarnation): void {
  db.run('UPDATE agent SET open = 0, budget = 0 WHERE incarnation = ?', incarnation)
  const held = db.all(`SELECT cell FROM cell WHERE agent = ? AND ${HELD} ORDER BY rank DESC`, incarnation)
  for (const [cell] of held) toHead(db, String(cell))
  leaveTurns(db, incarnation)
}

export function closeSilent(db: SqliteDatabase, silentMs: Millis): Incarnation[] {
  const silent = answer(db, silentIncarnations(db.now, silentMs))
  for (const incarnation of silent) leave(db, incarnation)
  return silent
}

export function endAllLeases(db: SqliteDatabase): void {
  for (const incarnation of answer(db, openIncarnations())) leave(db, incarnation)
}

export function heartbeat(
  db: SqliteDatabase,
  incarnation: Incarnation,
  leaseMs: Millis,
  status: string,
): Heartbeat {
  const { now } = db
  const [state, last, gap, grants] = db.first('SELECT state, last_heartbeat, gap_until, grants FROM crawl')!
  const heard = { lastHeartbeat: Number(last), gapUntil: Number(gap) }
  db.run('UPDATE crawl SET last_heartbeat = ?, gap_until = ?', now, gapAfter(heard, now, leaseMs))
  const open = db.run(
    'UPDATE agent SET heartbeat_at = ?, status = ? WHERE incarnation = ? AND open = 1',
    now,
    status,
    incarnation,
  )
  const held = open ? renew(db, incarnation, leaseMs) : []
  wakeRested(db)
  return {
    now,
    held,
    grants: Number(grants),
    waiting: answer(db, countWaiting(MOST_COUNTED)),
    settings: answer(db, publicSettings()),
    crawlOpen: state === 'open',
    incarnationOpen: open > 0,
    share: answer(db, shareOf(incarnation)),
  }
}

/** Renews also leases whose time is over, unless the holder has lost the turn of the group meanwhile. */
function renew(db: SqliteDatabase, incarnation: Incarnation, leaseMs: Millis): Heartbeat['held'] {
  const rows = db.all(
    `UPDATE cell SET lease_until = ? WHERE agent = ? AND ${HELD} AND (lease_until >= ?
       OR EXISTS (SELECT 1 FROM turn WHERE turn.grp = cell.grp AND turn.agent = cell.agent))
     RETURNING cell, epoch, appended`,
    db.now + leaseMs,
    incarnation,
    db.now,
  )
  return rows.map(([cell, epoch, appended]) => ({
    cell: String(cell),
    epoch: Number(epoch),
    appended: Number(appended),
  }))
}

export function grant(
  db: SqliteDatabase,
  incarnation: Incarnation,
  cells: readonly CellId[],
  leaseMs: Millis,
  delayMs: Millis,
  lane = 0,
): Lease[] {
  const isOpen = answer(db, isIncarnationOpen(incarnation))
  const [crawl, first] = db.first('SELECT state, grants FROM crawl')!
  let last = Number(first)
  for (const cell of [...cells].sort()) {
    const [state, until, group] =
      db.first('SELECT state, lease_until, grp FROM cell WHERE cell = ?', cell) ?? []
    if (!mayBeGranted(state as CellState | undefined, crawl === 'open', isOpen)) continue
    if (!takeTurn(db, incarnation, String(group), leaseMs, delayMs)) continue
    const [own] = answer(db, waits([ownTurn(siteOfCell(cell))]))
    const lastLease = lastLeaseOf(db, cell, Number(until))
    db.run(
      `UPDATE cell SET state = 'leased', agent = ?, epoch = epoch + 1, lease_until = ?, not_before = ?,
         grant_number = ?, lane = ? WHERE cell = ?`,
      incarnation,
      db.now + leaseMs,
      Math.ceil(firstAllowed(lastLease, own.delayMs, delayMs)),
      ++last,
      lane,
      cell,
    )
  }
  db.run('UPDATE crawl SET grants = ?', last)
  return answer(db, leases(incarnation, Number(first)))
}

export function release(db: SqliteDatabase, cell: CellId, epoch: Epoch, where: 'head' | 'tail'): boolean {
  if (!db.first(`SELECT 1 FROM cell WHERE cell = ? AND epoch = ? AND ${HELD}`, cell, epoch)) return false
  if (where === 'head') toHead(db, cell)
  else toTail(db, cell)
  return true
}

/** A test on this row alone: a query over the inbox would miss an append that commits meanwhile. */
export function finish(db: SqliteDatabase, cell: CellId, epoch: Epoch): boolean {
  return endLease(db, cell, epoch, `state = 'finished'`, 'AND appended = consumed')
}

/**
 * The rank of a cell that is parked or rests is the time at which it becomes due, so that the index finds
 * cells that are due.
 */
export function park(db: SqliteDatabase, cell: CellId, epoch: Epoch, until: Millis, why: string): boolean {
  const set = `state = 'parked', rank = ?, parked_until = ?, parked_why = ?`
  return endLease(db, cell, epoch, set, '', Math.ceil(until), Math.ceil(until), why)
}

export function rest(db: SqliteDatabase, cell: CellId, epoch: Epoch, until: Millis): boolean {
  return endLease(db, cell, epoch, `state = 'resting', rank = ?`, '', Math.ceil(until))
}

/** Ends a lease. The turn of the group ends with the last lease of the group. */
function endLease(
  db: SqliteDatabase,
  cell: CellId,
  epoch: Epoch,
  set: string,
  condition: string,
  ...values: (string | number)[]
): boolean {
  const [agent, group] = db.first('SELECT agent, grp FROM cell WHERE cell = ?', cell) ?? [null, '']
  const { now } = db
  const changed = db.run(
    `UPDATE cell SET ${set}, agent = NULL, lease_until = min(lease_until, ?)
     WHERE cell = ? AND epoch = ? AND ${HELD} ${condition}`,
    ...values,
    now,
    cell,
    epoch,
  )
  if (changed > 0) freeIfUnused(db, Number(agent), String(group), now)
  return changed > 0
}

/** One transaction examines everything and closes the crawl row: appends after it are refused. */
export function tryEnd(db: SqliteDatabase): FinishReason | null {
  const [state, max, pages, reason] = db.first('SELECT state, max_pages, pages, finish_reason FROM crawl')!
  if (state === 'closed') return String(reason) as FinishReason
  reclaimExpired(db)
  // The first cell of a state is enough: a count would read the index of all cells.
  const states = CELL_STATES.filter(name => db.first('SELECT 1 FROM cell WHERE state = ? LIMIT 1', name))
  const why = endOfCrawl(
    Object.fromEntries(states.map(name => [name, 1])),
    Number(pages),
    max === null ? null : Number(max),
  )
  if (why === null) return null
  db.run(`UPDATE crawl SET state = 'closed', finish_reason = ?`, why)
  return why
}
