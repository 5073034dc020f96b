import { existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'libsql'
import { shellWord } from '../model/for-people.js'
import { LedgerError } from './ledger.js'
import { removeLedgerDigest, writeLedgerDigest } from './ledger-digest.js'
import { SCHEMA_STEPS } from './schema.js'

export type Row = readonly (string | number | null | Buffer)[]
type Value = string | number | null | Uint8Array

/** The part of SQLite that the ledger uses: prepared statements kept by their text, rows as arrays. */
export class SqliteDatabase {
  readonly #db: Database.Database
  readonly #statements = new Map<string, Database.Statement>()
  readonly #path: string
  #isChanged = false

  private constructor(db: Database.Database, path: string) {
    this.#db = db
    this.#path = path
  }

  /**
   * Opens (and migrates) the ledger at `path`; `create` says whether it may be absent. Errors name
   * `original`, of which it may be a copy.
   */
  static open(path: string, create: boolean, original = path): SqliteDatabase {
    if (!create && !existsSync(path)) throw new LedgerError('missing', `there is no crawl ledger at ${path}`)
    return translated(original, () => {
      const db = new Database(path, { timeout: 30_000 })
      const opened = new SqliteDatabase(db, path)
      db.pragma('journal_mode = WAL')
      db.pragma('synchronous = FULL')
      db.pragma('cache_size = -4000')
      db.pragma('wal_autocheckpoint = 2000')
      opened.#migrate(original)
      return opened
    })
  }

  run(sql: string, ...values: Value[]): number {
    return this.#prepare(sql).run(values.map(bindable)).changes
  }

  all(sql: string, ...values: Value[]): readonly Row[] {
    return this.#prepare(sql)
      .raw()
      .all(...values) as Row[]
  }

  first(sql: string, ...values: Value[]): Row | undefined {
    return this.all(sql, ...values)[0]
  }

  exec(sql: string): void {
    this.#db.exec(sql)
  }

  /** Runs `task` in one write transaction; a throw rolls back. */
  transaction<T>(task: () => T): T {
    this.exec('BEGIN IMMEDIATE')
    try {
      removeLedgerDigest(this.#path)
      this.#isChanged = true
      const result = task()
      this.exec('COMMIT')
      return result
    } catch (error) {
      if (this.#db.inTransaction) this.exec('ROLLBACK')
      throw error
    }
  }

  /** Runs `task` so that its failure undoes only its own writes inside the transaction. */
  nested<T>(task: () => T): T {
    // A full disk ends the whole transaction; a savepoint would begin another one, behind our back.
    if (!this.#db.inTransaction) throw new Error('the transaction is over')
    this.exec('SAVEPOINT nested')
    try {
      const result = task()
      this.exec('RELEASE nested')
      return result
    } catch (error) {
      if (this.#db.inTransaction) this.exec('ROLLBACK TO nested; RELEASE nested')
      throw error
    }
  }

  close(): void {
    if (this.#isChanged) this.#seal()
    this.#isChanged = false
    this.#statements.clear()
    this.#db.close()
  }

  /**
   * Moves everything into the database file and writes its digest, under the write lock. Others who read or
   * write at this moment keep it from happening: then the digest stays unknown until one of the next writers
   * closes.
   */
  #seal(): void {
    try {
      this.exec(`PRAGMA busy_timeout = ${SEAL_WAIT_MS}`)
      const [isBusy] = this.first('PRAGMA wal_checkpoint(TRUNCATE)')!
      if (isBusy) return
      this.exec('BEGIN IMMEDIATE')
      try {
        if (isEmpty(`${this.#path}-wal`)) writeLedgerDigest(this.#path)
      } finally {
        this.exec('ROLLBACK')
      }
    } catch {
      // A full disk, or a connection that has failed already: nothing depends on the digest.
    }
  }

  #prepare(sql: string): Database.Statement {
    let statement = this.#statements.get(sql)
    if (!statement) {
      statement = this.#db.prepare(sql)
      this.#statements.set(sql, statement)
    }
    return statement
  }

  #version(): number {
    return Number((this.first('PRAGMA user_version') ?? [0])[0])
  }

  #migrate(path: string): void {
    const version = this.#version()
    if (version > SCHEMA_STEPS.length) {
      throw new LedgerError(
        'newer',
        `the ledger ${path} was made by a newer version of orbweaver; update orbweaver to go on with it`,
      )
    }
    for (let step = version; step < SCHEMA_STEPS.length; step++) {
      this.transaction(() => {
        // Another process may have opened it at the same moment, and been faster.
        if (this.#version() > step) return
        this.exec(SCHEMA_STEPS[step].sqlite)
        this.exec(`PRAGMA user_version = ${step + 1}`)
      })
    }
  }
}

const SEAL_WAIT_MS = 200

function isEmpty(path: string): boolean {
  return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0
}

/** The binding takes blobs as Buffers only; what comes from another thread is a plain array. */
function bindable(value: Value): Value {
  if (!(value instanceof Uint8Array) || Buffer.isBuffer(value)) return value
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength)
}

/** Turns SQLite's errors about the file itself into one line that says what to do. */
export function translated<T>(path: string, task: () => T): T {
  try {
    return task()
  } catch (error) {
    throw error instanceof LedgerError ? error : (ledgerErrorOf(path, error) ?? error)
  }
}

function ledgerErrorOf(path: string, error: unknown): LedgerError | null {
  const code = codeOf(error)
  // What we wrote as JSON is no JSON any more: a damaged page that SQLite takes for sound.
  const isCorrupt =
    code.startsWith('SQLITE_NOTADB') || code.startsWith('SQLITE_CORRUPT') || isOtherSchema(code, error)
  if (isCorrupt || error instanceof SyntaxError)
    return new LedgerError(
      'corrupt',
      `the ledger ${path} is damaged; run "orbweaver repair ${shellWord(dirname(path))}"`,
    )
  if (code.startsWith('SQLITE_READONLY') || code.startsWith('SQLITE_CANTOPEN'))
    return new LedgerError('read-only', `the ledger ${path} cannot be written; check its permissions`)
  if (code.startsWith('SQLITE_FULL') || code.startsWith('SQLITE_IOERR'))
    return new LedgerError(
      'full',
      `the ledger ${path} could not be written: the disk is full or failing; free some space, then resume`,
    )
  if (code.startsWith('SQLITE_BUSY'))
    return new LedgerError('busy', `the ledger ${path} is locked by another process`)
  return null
}

/** Tables that every ledger has are not there, or others are in their place. */
function isOtherSchema(code: string, error: unknown): boolean {
  if (code !== 'SQLITE_ERROR') return false
  return /no such (?:table|column)|already exists|has no column/i.test((error as Error).message)
}

function codeOf(error: unknown): string {
  const { code = '' } = error as { code?: string }
  if (code.startsWith('SQLITE_') && code !== 'SQLITE_ERROR') return code
  return isUnwritable(error) ? 'SQLITE_READONLY' : code
}

/** Of a file that could not even be opened the binding passes on the words only. */
export function isUnwritable(error: unknown): boolean {
  return /readonly database|unable to open (database|connection)/i.test((error as Error).message)
}
