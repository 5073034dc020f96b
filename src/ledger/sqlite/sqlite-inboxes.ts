/** Inboxes: links on their way into cells, stored in batches (`row-text.ts`). */
import type { CellId } from '../../model/index.js'
import type { Incarnation } from '../index.js'
import { type StoredBatch, type TextAppend, type TextBatch, unreadRows } from './row-text.js'
import { numbers } from './sqlite-counters.js'
import { answer, type SqliteDatabase } from './sqlite-database.js'

/** The sender of seeds and of rows of a previous crawl. */
const NO_SENDER: Incarnation = 0
/** Batches of the first query, enough for most inboxes; each further query reads twice as many. */
const FIRST_BATCHES = 4

/** Returns false, without a change, once the crawl is closed. */
export function append(db: SqliteDatabase, appends: readonly TextAppend[]): boolean {
  if (db.first('SELECT state FROM crawl')![0] !== 'open') return false
  if (appends.some(({ cell }) => isClosed(db, cell))) return false
  addRows(db, appends, NO_SENDER)
  return true
}

function isClosed(db: SqliteDatabase, cell: CellId): boolean {
  return db.first(`SELECT 1 FROM cell WHERE cell = ? AND state = 'closed'`, cell) !== undefined
}

/** Batches with the next `limit` unread rows after the position `after`, or all there are. */
export function readInbox(db: SqliteDatabase, cell: CellId, after: number, limit: number): StoredBatch[] {
  const batches: StoredBatch[] = []
  let rows = 0
  let position = after
  for (let count = FIRST_BATCHES; ; count *= 2) {
    const found = batchesAfter(db, cell, position, count)
    for (const batch of found) {
      batches.push(batch)
      rows += unreadRows(batch, after)
      if (rows >= limit) return batches
      position = batch.position
    }
    if (found.length < count) return batches
  }
}

function batchesAfter(db: SqliteDatabase, cell: CellId, position: number, count: number): StoredBatch[] {
  return db
    .all(
      `SELECT b.position, b.rows, b.json, c.inbox_cursor, a.name FROM inbox_batch b
       JOIN cell c ON c.cell = b.cell LEFT JOIN agent a ON a.incarnation = b.sender
       WHERE b.cell = ? AND b.position > ? ORDER BY b.position LIMIT ?`,
      cell,
      position,
      count,
    )
    .map(([last, rows, json, cursor, sender]) => ({
      position: Number(last),
      rows: Number(rows),
      json: String(json),
      cursor: Number(cursor),
      sender: sender === null ? '' : String(sender),
    }))
}

/** The update that counts the rows of a cell also turns a finished cell to waiting. */
export function addRows(db: SqliteDatabase, appends: readonly TextAppend[], sender: Incarnation): void {
  if (appends.length === 0) return
  for (const { cell, batches } of appends) for (const batch of batches) putBatch(db, cell, batch, sender)
  const ranks = ranksOfNew(db, appends)
  const counts = appends.map(({ cell, group, batches }) => {
    const rows = batches.reduce((sum, batch) => sum + batch.rows, 0)
    return [cell, group, ranks.get(cell) ?? 0, rows]
  })
  // One statement for all cells: a link farm names thousands of new sites at once, and the overhead of a call
  // is as large as the work of one row.
  db.run(
    `INSERT INTO cell (cell, grp, state, agent, epoch, lease_until, rank, last_pack, appended, consumed, inbox_cursor,
       parked_until, children, discovered, settled, pages, bytes, fetch_ms, first_fetch, last_fetch, size_estimate)
     SELECT value ->> 0, value ->> 1, 'waiting', NULL, 0, 0, value ->> 2, 0, value ->> 3, 0, 0, 0, NULL, 0, 0, 0, 0, 0, 0, 0, 0
     FROM json_each(?) WHERE true ON CONFLICT (cell) DO UPDATE SET appended = appended + excluded.appended,
       state = CASE state WHEN 'finished' THEN 'waiting' ELSE state END`,
    JSON.stringify(counts),
  )
}

/**
 * Appends a batch. Positions are numbered across all cells; the position of a batch is that of its last row.
 */
export function putBatch(
  db: SqliteDatabase,
  cell: CellId,
  { rows, json }: TextBatch,
  sender: Incarnation,
): void {
  db.run(
    `INSERT INTO inbox_batch (position, cell, sender, rows, json) VALUES (
       ?1 + coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'inbox_batch'), 0), ?2, ?3, ?1, ?4)`,
    rows,
    cell,
    sender,
    json,
  )
}

/** A newly discovered site goes to the tail of the queue (D19). */
function ranksOfNew(db: SqliteDatabase, appends: readonly TextAppend[]): ReadonlyMap<CellId, number> {
  const fresh = new Map(appends.map(({ cell }) => [cell, 0]))
  const known = db.all(
    'SELECT cell FROM cell WHERE cell IN (SELECT value FROM json_each(?))',
    JSON.stringify([...fresh.keys()]),
  )
  for (const [cell] of known) fresh.delete(String(cell))
  const ranks = answer(db, numbers('rank_tail', fresh.size))
  for (const [i, cell] of [...fresh.keys()].entries()) fresh.set(cell, ranks[i])
  return fresh
}
