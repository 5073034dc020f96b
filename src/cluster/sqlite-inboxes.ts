/** Inboxes: links on their way into cells. */
import type { CellId } from '../model/cell.js'
import type { Incarnation } from './ledger.js'
import { type StoredBatch, type TextAppend, type TextBatch, unreadRows } from './row-text.js'
import type { SqliteDatabase } from './sqlite-database.js'

/** Seeds and the previous crawl come from no agent. */
const NOBODY: Incarnation = 0
/** Looked up first: most inboxes have no more. With those that have, twice as many each time. */
const FIRST_BATCHES = 4

export class SqliteInboxes {
  readonly #db: SqliteDatabase

  constructor(db: SqliteDatabase) {
    this.#db = db
  }

  /** Seeds and recrawl: refused once the crawl is closed. */
  append(appends: readonly TextAppend[]): boolean {
    if (this.#db.first('SELECT state FROM crawl')![0] !== 'open') return false
    if (appends.some(({ cell }) => this.#isClosed(cell))) return false
    for (const append of appends) this.add(append, NOBODY)
    return true
  }

  #isClosed(cell: CellId): boolean {
    return this.#db.first(`SELECT 1 FROM cell WHERE cell = ? AND state = 'closed'`, cell) !== undefined
  }

  /** Batches that hold the next `limit` unread rows behind `after`, or all there are. */
  readInbox(cell: CellId, after: number, limit: number): StoredBatch[] {
    const batches: StoredBatch[] = []
    let rows = 0
    let position = after
    for (let count = FIRST_BATCHES; ; count *= 2) {
      const found = this.#batchesBehind(cell, position, count)
      for (const batch of found) {
        batches.push(batch)
        rows += unreadRows(batch, after)
        if (rows >= limit) return batches
        position = batch.position
      }
      if (found.length < count) return batches
    }
  }

  #batchesBehind(cell: CellId, position: number, count: number): StoredBatch[] {
    return this.#db
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

  /** Adds rows and counts them in the same row update that turns a finished cell to waiting. */
  add(append: TextAppend, sender: Incarnation): void {
    let rows = 0
    for (const batch of append.batches) {
      rows += batch.rows
      this.put(append.cell, batch, sender)
    }
    if (this.#count(append.cell, rows)) return
    this.#addCell(append)
    this.#count(append.cell, rows)
  }

  /** Puts a batch behind all others. Its rows have the positions up to its own, over all cells. */
  put(cell: CellId, { rows, json }: TextBatch, sender: Incarnation): void {
    this.#db.run(
      `INSERT INTO inbox_batch (position, cell, sender, rows, json) VALUES (
         ?1 + coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'inbox_batch'), 0), ?2, ?3, ?1, ?4)`,
      rows,
      cell,
      sender,
      json,
    )
  }

  /** False where there is no such cell. */
  #count(cell: CellId, rows: number): boolean {
    const cells = this.#db.run(
      `UPDATE cell SET appended = appended + ?, state = CASE state WHEN 'finished' THEN 'waiting' ELSE state END
       WHERE cell = ?`,
      rows,
      cell,
    )
    return cells > 0
  }

  /** A newly discovered site goes to the tail of S (D19). */
  #addCell(append: TextAppend): void {
    const [rank] = this.#db.first('UPDATE crawl SET next_rank = next_rank + 1 RETURNING next_rank')!
    this.#db.run(
      `INSERT INTO cell (cell, grp, state, agent, epoch, lease_until, rank, last_pack, appended, consumed, inbox_cursor,
         parked_until, children, discovered, settled, pages, bytes, fetch_ms, first_fetch, last_fetch, size_estimate)
       VALUES (?, ?, 'waiting', NULL, 0, 0, ?, 0, 0, 0, 0, 0, NULL, 0, 0, 0, 0, 0, 0, 0, 0)`,
      append.cell,
      append.group,
      rank,
    )
  }
}
