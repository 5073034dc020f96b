/** Inboxes: links on their way into cells. */
import type { CellId } from '../model/cell.js'
import type { InboxRow, Incarnation } from './ledger.js'
import type { TextAppend } from './row-text.js'
import type { SqliteDatabase } from './sqlite-database.js'

/** Seeds and the previous crawl come from no agent. */
const NOBODY: Incarnation = 0

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

  readInbox(cell: CellId, after: number, limit: number): InboxRow[] {
    return this.#db
      .all(
        `SELECT i.position, i.url, i.depth, i.hops, i.score, i.via, a.name
         FROM inbox i LEFT JOIN agent a ON a.incarnation = i.sender
         WHERE i.cell = ? AND i.position > ? ORDER BY i.position LIMIT ?`,
        cell,
        after,
        limit,
      )
      .map(([position, url, depth, hops, score, via, sender]) => ({
        position: Number(position),
        url: String(url),
        depth: Number(depth),
        hops: Number(hops),
        score: Number(score),
        via: String(via),
        sender: sender === null ? '' : String(sender),
      }))
  }

  /** Adds rows and counts them in the same row update that turns a finished cell to waiting. */
  add(append: TextAppend, sender: Incarnation): void {
    this.#ensureCell(append)
    this.#insertRows(append, sender)
    this.#db.run(
      `UPDATE cell SET appended = appended + ?, state = CASE state WHEN 'finished' THEN 'waiting' ELSE state END
       WHERE cell = ?`,
      append.rows,
      append.cell,
    )
  }

  /** All rows in one statement: half the price of one each. */
  #insertRows({ cell, json }: TextAppend, sender: Incarnation): void {
    this.#db.run(
      `INSERT INTO inbox (cell, sender, url, depth, hops, score, via)
       SELECT ?, ?, value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4 FROM json_each(?)`,
      cell,
      sender,
      json,
    )
  }

  /** A newly discovered site goes to the tail of S (D19). */
  #ensureCell(append: TextAppend): void {
    if (this.#db.first('SELECT 1 FROM cell WHERE cell = ?', append.cell)) return
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
