import { join } from 'node:path'
import Database from 'libsql'

/**
 * One process per crawl directory. The lock is an exclusive transaction on a file of its own: the system drops it
 * with the process, however that ends, so a kill -9 leaves nothing to clean up.
 */
export class DirectoryLock {
  readonly #db: Database.Database

  private constructor(db: Database.Database) {
    this.#db = db
  }

  /** Null when another process holds it. */
  static take(directory: string): DirectoryLock | null {
    const db = new Database(join(directory, 'lock'), { timeout: 0 })
    try {
      db.exec('BEGIN EXCLUSIVE')
      return new DirectoryLock(db)
    } catch (error) {
      db.close()
      if ((error as { code?: string }).code?.startsWith('SQLITE_BUSY')) return null
      throw error
    }
  }

  release(): void {
    this.#db.exec('ROLLBACK')
    this.#db.close()
  }
}
