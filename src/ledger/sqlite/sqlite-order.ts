/** The queue of cells: which one is at the head, and which come back to it. */
import type { CellId, Millis } from '../../model/index.js'
import type { Incarnation, WaitingCell } from '../index.js'
import { offeredCells } from '../sql/index.js'
import { answer, type SqliteDatabase } from './sqlite-database.js'
import { freeIfUnused } from './sqlite-turns.js'

/** Cells that an incarnation holds. */
export const HELD = `state IN ('leased', 'draining')`

export function waiting(db: SqliteDatabase, limit: number, eligible?: readonly Incarnation[]): WaitingCell[] {
  reclaimExpired(db)
  wakeRested(db)
  return answer(db, offeredCells(limit, eligible))
}

export function rankBySize(db: SqliteDatabase): void {
  db.run(
    `UPDATE cell SET rank = ranked.place + (SELECT next_rank FROM crawl)
     FROM (SELECT cell AS name, row_number() OVER (ORDER BY max(size_estimate, pages) DESC, rank) AS place
           FROM cell WHERE state = 'waiting') AS ranked WHERE cell = ranked.name`,
  )
  db.run(
    'UPDATE crawl SET next_rank = max(next_rank, (SELECT coalesce(max(rank), 0) FROM cell WHERE state = ?))',
    'waiting',
  )
}

/** Cells whose rest is over join the tail of the queue, and so do parked cells that are due. */
export function wakeRested(db: SqliteDatabase): void {
  const due = db.all(
    `SELECT cell, rank FROM cell WHERE state = 'resting' AND rank <= ?1
     UNION ALL SELECT cell, rank FROM cell WHERE state = 'parked' AND rank BETWEEN 1 AND ?1 ORDER BY rank`,
    db.now,
  )
  for (const [cell] of due) toTail(db, String(cell))
}

/**
 * Cells whose lease `hasExpired` (`rules/`) go to the head of the queue. Their holder had the turn of a group
 * until the latest of its leases in the group ended.
 */
export function reclaimExpired(db: SqliteDatabase): void {
  const expired = db.all(
    `SELECT cell, (SELECT max(mate.lease_until) FROM cell mate WHERE mate.agent = cell.agent AND mate.grp = cell.grp)
     FROM cell, crawl WHERE cell.${HELD} AND lease_until < ?1
     AND gap_until <= ?1 AND (last_heartbeat = 0 OR last_heartbeat >= lease_until) ORDER BY rank DESC`,
    db.now,
  )
  for (const [cell, heldUntil] of expired) toHead(db, String(cell), Number(heldUntil))
}

export function toHead(db: SqliteDatabase, cell: CellId, heldUntil = 0): void {
  const [rank] = db.first('UPDATE crawl SET first_rank = first_rank - 1 RETURNING first_rank')!
  toWaiting(db, cell, Number(rank), heldUntil)
}

export function toTail(db: SqliteDatabase, cell: CellId): void {
  toWaiting(db, cell, lastRank(db, 1), 0)
}

/** Reserves `count` ranks after all others, and returns the last of them. */
export function lastRank(db: SqliteDatabase, count: number): number {
  return Number(db.first('UPDATE crawl SET next_rank = next_rank + ? RETURNING next_rank', count)![0])
}

function toWaiting(db: SqliteDatabase, cell: CellId, rank: number, heldUntil: Millis): void {
  const { now } = db
  const [agent, group, until] = db.first('SELECT agent, grp, lease_until FROM cell WHERE cell = ?', cell)!
  db.run(
    `UPDATE cell SET state = 'waiting', agent = NULL, rank = ?, lease_until = min(lease_until, ?) WHERE cell = ?`,
    rank,
    now,
    cell,
  )
  const latest = Math.min(Math.max(Number(until), heldUntil), now)
  if (agent !== null) freeIfUnused(db, Number(agent), String(group), latest)
}
