import { join } from 'node:path'
import Database from 'libsql'
import { LedgerError } from '../../ledger/index.js'
import { isUnwritable } from '../../ledger/sqlite/index.js'
import { DirectoryBusyError } from './errors.js'

/**
 * One process per crawl directory. The lock is an exclusive transaction on a file of its own: the system
 * drops it with the process, however that ends, so a kill -9 leaves nothing to clean up.
 */
export class DirectoryLock {
  readonly #db: Database.Database

  private constructor(db: Database.Database) {
    this.#db = db
  }

  /** Null when another process holds it. */
  static take(directory: string): DirectoryLock | null {
    const db = openLock(directory)
    try {
      db.exec('BEGIN EXCLUSIVE')
      return new DirectoryLock(db)
    } catch (error) {
      db.close()
      if ((error as { code?: string }).code?.startsWith('SQLITE_BUSY')) return null
      throw readOnly(directory, error)
    }
  }

  release(): void {
    this.#db.exec('ROLLBACK')
    this.#db.close()
  }
}

/** Throws a DirectoryBusyError when another process, or another crawl of this one, holds it. */
export function takeLock(directory: string): DirectoryLock {
  const lock = DirectoryLock.take(directory)
  if (lock) return lock
  throw new DirectoryBusyError(`${directory} is in use by another orbweaver process`)
}

function openLock(directory: string): Database.Database {
  try {
    return new Database(join(directory, 'lock'), { timeout: 0 })
  } catch (error) {
    throw readOnly(directory, error)
  }
}

/**
 * Turns the error of a directory or lock that cannot be written into the LedgerError for a ledger that cannot
 * be written.
 */
function readOnly(directory: string, error: unknown): unknown {
  if (!isUnwritable(error)) return error
  return new LedgerError('read-only', `${directory} cannot be written; check its permissions`)
}
