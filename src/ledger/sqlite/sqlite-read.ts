/** A SQLite ledger opened read-only: without a log, SQLite creates no file beside it either. */
import { statSync } from 'node:fs'
import type { Millis } from '../../model/index.js'
import { type Ledger, LedgerError } from '../index.js'
import { openLedgerCopy } from './sqlite-copy.js'
import { hasLog, SqliteDatabase } from './sqlite-database.js'
import { type LedgerMethod, ledgerOver, SqliteCore } from './sqlite-ledger.js'

export function openLedgerToRead(path: string, now: () => Millis): Ledger {
  try {
    const reader = new LedgerReader(path, now)
    if (!reader.isOld)
      return ledgerOver(
        async (method, args) => reader.call(method, args),
        async () => reader.close(),
      )
    reader.close()
  } catch (error) {
    // SQLite needs a file beside a ledger with a log, and cannot create one here.
    if (!(error instanceof LedgerError) || error.kind !== 'read-only') throw error
  }
  const { ledger, close } = openLedgerCopy(path, now)
  return { ...ledger, close }
}

class LedgerReader {
  readonly #path: string
  readonly #now: () => Millis
  /** Size, time and inode of the file while it has no log; null once it has one. */
  #still: string | null
  #db: SqliteDatabase
  #core: SqliteCore

  constructor(path: string, now: () => Millis) {
    this.#path = path
    this.#now = now
    this.#still = hasLog(path) ? null : versionOf(path)
    this.#db = SqliteDatabase.openToRead(path, this.#still !== null, { now })
    this.#core = new SqliteCore(path, this.#db)
  }

  get isOld(): boolean {
    return this.#db.isOld
  }

  call(method: LedgerMethod, args: readonly unknown[]): unknown {
    let [result] = this.#core.run([{ method, args }])
    if (this.#still !== null && (hasLog(this.#path) || versionOf(this.#path) !== this.#still)) {
      // A writer has started: from now on SQLite's locks are needed.
      this.#core.close()
      this.#still = null
      this.#db = SqliteDatabase.openToRead(this.#path, false, { now: this.#now })
      this.#core = new SqliteCore(this.#path, this.#db)
      ;[result] = this.#core.run([{ method, args }])
    }
    if (result.status === 'rejected') throw result.reason
    return result.value
  }

  close(): void {
    this.#core.close()
  }
}

function versionOf(path: string): string | null {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false })
  return stats ? `${stats.size} ${stats.mtimeNs} ${stats.ino}` : null
}
