/** Journals of cells: what committed packs added to each, in order. */
import type { CellId } from '../../model/index.js'
import type { SqliteDatabase } from './sqlite-database.js'
import type { SqliteSplits } from './sqlite-splits.js'

export class SqliteJournals {
  readonly #db: SqliteDatabase
  readonly #splits: SqliteSplits

  constructor(db: SqliteDatabase, splits: SqliteSplits) {
    this.#db = db
    this.#splits = splits
  }

  readJournal(cell: CellId, from: number, maxBytes: number): { number: number; journal: Uint8Array }[] {
    // The packs of a cell are numbered behind those of its parents, so one order serves for all.
    const line = JSON.stringify(this.#splits.lineOf(cell))
    const sizes = this.#db.all(
      `SELECT number, length(journal) FROM pack_cell
       WHERE cell IN (SELECT value FROM json_each(?)) AND number >= ? ORDER BY number LIMIT 1000`,
      line,
      from,
    )
    let bytes = 0
    let last = 0
    for (const [number, length] of sizes) {
      if (bytes > 0 && bytes + Number(length) > maxBytes) break
      bytes += Number(length)
      last = Number(number)
    }
    return this.#db
      .all(
        `SELECT number, journal FROM pack_cell
         WHERE cell IN (SELECT value FROM json_each(?)) AND number BETWEEN ? AND ? ORDER BY number`,
        line,
        from,
        last,
      )
      .map(([number, journal]) => ({ number: Number(number), journal: journal as Buffer }))
  }

  readJournals(
    after: { cell: CellId; number: number },
    maxBytes: number,
  ): { cell: CellId; number: number; journal: Uint8Array }[] {
    const sizes = this.#db.all(
      `SELECT cell, number, length(journal) FROM pack_cell WHERE (cell, number) > (?, ?)
       ORDER BY cell, number LIMIT 1000`,
      after.cell,
      after.number,
    )
    let bytes = 0
    let count = 0
    for (const [, , length] of sizes) {
      if (bytes > 0 && bytes + Number(length) > maxBytes) break
      bytes += Number(length)
      count++
    }
    return this.#db
      .all(
        'SELECT cell, number, journal FROM pack_cell WHERE (cell, number) > (?, ?) ORDER BY cell, number LIMIT ?',
        after.cell,
        after.number,
        count,
      )
      .map(([cell, number, journal]) => ({
        cell: String(cell),
        number: Number(number),
        journal: journal as Buffer,
      }))
  }
}
