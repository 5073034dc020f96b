/** Splits of cells: one transaction on a cell that nobody has leased. */
import { type CellId, type Epoch, siteOfCell } from '../model/cell.js'
import { childOf } from '../model/cell-map.js'
import type { Millis } from '../model/clock.js'
import type { ChildCell } from './ledger.js'
import type { SqliteDatabase } from './sqlite-database.js'

/** Rows of an inbox that are moved at a time. */
const ROWS_AT_ONCE = 1_000

export class SqliteSplits {
  readonly #db: SqliteDatabase

  constructor(db: SqliteDatabase) {
    this.#db = db
  }

  split(cell: CellId, epoch: Epoch, lastPack: number, children: readonly ChildCell[]): boolean {
    const names = children.map(child => child.cell)
    const [open] = this.#db.first(`SELECT state = 'open' FROM crawl`)!
    const row = this.#db.first('SELECT state, epoch, last_pack, children FROM cell WHERE cell = ?', cell)
    if (!open || !row) return false
    if (row[0] === 'closed') return row[3] === JSON.stringify(names)
    if (row[0] !== 'waiting' && row[0] !== 'resting') return false
    if (row[1] !== epoch || row[2] !== lastPack) return false
    for (const child of children) this.#addChild(cell, child)
    this.#moveRows(cell, names)
    this.#db.run(
      `UPDATE cell SET state = 'closed', children = ?, discovered = settled, appended = consumed,
         size_estimate = pages WHERE cell = ?`,
      JSON.stringify(names),
      cell,
    )
    return true
  }

  /** Its epochs go on: what a lease of its parent left behind is known to be old. */
  #addChild(parent: CellId, { cell, queued }: ChildCell): void {
    const [rank] = this.#db.first('UPDATE crawl SET next_rank = next_rank + 1 RETURNING next_rank')!
    this.#db.run(
      `INSERT INTO cell (cell, grp, state, agent, epoch, lease_until, rank, last_pack, appended, consumed, inbox_cursor,
         parked_until, children, discovered, settled, pages, bytes, fetch_ms, first_fetch, last_fetch, size_estimate, parent)
       SELECT ?1, grp, 'waiting', NULL, epoch, lease_until, ?2, last_pack, 0, 0, 0,
         0, NULL, ?3, 0, 0, 0, 0, 0, 0, ?3, cell FROM cell WHERE cell = ?4`,
      cell,
      rank,
      queued,
      parent,
    )
  }

  /** Positions grow over all cells, so rows keep theirs. */
  #moveRows(parent: CellId, children: readonly CellId[]): void {
    for (let after = 0; ; ) {
      const rows = this.#db.all(
        'SELECT position, url FROM inbox WHERE cell = ? AND position > ? ORDER BY position LIMIT ?',
        parent,
        after,
        ROWS_AT_ONCE,
      )
      if (rows.length === 0) return
      for (const [position, url] of rows) {
        const child = childOf(children, String(url))
        this.#db.run('UPDATE inbox SET cell = ? WHERE position = ?', child, position)
        this.#db.run('UPDATE cell SET appended = appended + 1 WHERE cell = ?', child)
      }
      after = Number(rows[rows.length - 1][0])
    }
  }

  /** A cell behind those it was split from. */
  lineOf(cell: CellId): CellId[] {
    const line: CellId[] = []
    for (let name: CellId | null = cell; name !== null; name = this.#parentOf(name)) line.unshift(name)
    return line
  }

  #parentOf(cell: CellId): CellId | null {
    if (!cell.includes('#')) return null
    const [parent] = this.#db.first('SELECT parent FROM cell WHERE cell = ?', cell) ?? [null]
    return parent === null ? null : String(parent)
  }

  /** The end of the last lease of any cell of the site that nobody holds: they share its delay. */
  lastLeaseOf(cell: CellId, until: Millis): Millis {
    const site = siteOfCell(cell)
    if (site === cell) return until
    const [latest] = this.#db.first(
      `SELECT max(lease_until) FROM cell WHERE (cell = ?1 OR cell > ?1 || '#' AND cell < ?1 || '$') AND agent IS NULL`,
      site,
    )!
    return Math.max(until, Number(latest ?? 0))
  }
}
