/** Files of all incarnations with their committed lengths, and their exchange for what was made of them. */
import type { Epoch } from '../../model/index.js'
import { type FileRow, listedFile, type PackFile } from '../index.js'
import type { SqliteDatabase } from './sqlite-database.js'

/** Undoes a swap whose inputs are no longer all listed. */
export class SwapRefused extends Error {}

export class SqliteFiles {
  readonly #db: SqliteDatabase

  constructor(db: SqliteDatabase) {
    this.#db = db
  }

  files(): FileRow[] {
    return this.#db
      .all(
        `SELECT f.name, f.kind, f.bytes, f.crc32, f.incarnation, coalesce(a.open, 0)
         FROM file f LEFT JOIN agent a ON a.incarnation = f.incarnation ORDER BY f.name`,
      )
      .map(row => ({ ...listedFile(row), incarnation: Number(row[4]), closed: !row[5] }))
  }

  swapFiles(inputs: readonly string[], outputs: readonly PackFile[], seat?: Epoch): boolean {
    const [epoch, holder, last] = this.#db.first(
      'SELECT seat_epoch, seat_agent, (SELECT coalesce(max(incarnation), 0) FROM agent) FROM crawl',
    )!
    if (seat !== undefined && epoch !== seat) return false
    if (inputs.length > 0 && this.#isSwapped(inputs, outputs)) return true
    const incarnation = seat === undefined ? last : holder
    for (const name of inputs) {
      if (this.#db.run('DELETE FROM file WHERE name = ?', name) === 0) throw new SwapRefused()
    }
    for (const file of outputs) this.save(file, Number(incarnation))
    return true
  }

  /** The answer to this swap was lost, and it is sent again. */
  #isSwapped(inputs: readonly string[], outputs: readonly PackFile[]): boolean {
    const isListed = (name: string) => this.#db.first('SELECT 1 FROM file WHERE name = ?', name) !== undefined
    return outputs.length > 0 && !inputs.some(isListed) && outputs.every(({ name }) => isListed(name))
  }

  save(file: PackFile, incarnation: number): void {
    this.#db.run(
      `INSERT INTO file (name, incarnation, kind, bytes, crc32) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (name) DO UPDATE SET bytes = excluded.bytes, kind = excluded.kind, crc32 = excluded.crc32`,
      file.name,
      incarnation,
      file.kind,
      file.bytes,
      file.crc32 ?? null,
    )
  }
}
