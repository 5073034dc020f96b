import { randomInt } from 'node:crypto'
import { existsSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import Database from 'libsql'
import { shellWord } from '../../model/index.js'
import { LedgerError, SCHEMA_STEPS } from '../index.js'
import {
  dropOrphanedSums,
  readWalIndex,
  removePageSums,
  sumLog,
  walPath,
  withoutWriters,
} from './pages/index.js'

export type Row = readonly (string | number | null | Buffer)[]
type Value = string | number | null | Uint8Array

const BUSY_WAIT_MS = 30_000
/** A log of 8 MB. A longer one costs disk and the time to read it back, a shorter one more checkpoints. */
const CHECKPOINT_FRAMES = 2_000
/** Asking for the length of the log is a system call. */
const TRANSACTIONS_PER_LOOK = 16

interface OpenOptions {
  /** Whether it may be absent. */
  readonly create: boolean
  /** Takes the place of a writer that was killed. */
  readonly isCrawling?: boolean
  /** What errors name, where the ledger is a copy. */
  readonly original?: string
}

/** The part of SQLite that the ledger uses: prepared statements kept by their text, rows as arrays. */
export class SqliteDatabase {
  readonly #db: Database.Database
  readonly #statements = new Map<string, Database.Statement>()
  readonly #path: string
  readonly #isReader: boolean
  /** The sums say that somebody writes. */
  #isMarked = false
  #transactions = 0
  readonly #token = randomInt(1, 0xffffffff)
  /**
   * Whoever crawls takes the place of a writer that was killed. Others leave it: that one may still be there,
   * and SQLite may close our connection only after it was killed.
   */
  readonly #asWriter: (before: number) => number

  private constructor(db: Database.Database, path: string, isReader: boolean, isCrawling = false) {
    this.#asWriter = before => (isCrawling || before === 0 ? this.#token : before)
    this.#db = db
    this.#path = path
    this.#isReader = isReader
  }

  /** Opens (and migrates) the ledger at `path`. */
  static open(path: string, { create, isCrawling = false, original = path }: OpenOptions): SqliteDatabase {
    if (!create) refuseMissing(path)
    return translated(original, () => {
      dropOrphanedSums(path)
      const opened = new SqliteDatabase(
        new Database(path, { timeout: BUSY_WAIT_MS }),
        path,
        false,
        isCrawling,
      )
      opened.#db.pragma('journal_mode = WAL')
      opened.#db.pragma('synchronous = FULL')
      opened.#db.pragma('cache_size = -4000')
      opened.#db.pragma('wal_autocheckpoint = 0')
      opened.#migrate(original)
      return opened
    })
  }

  /**
   * Opens the ledger at `path` so that nothing can be written. `still`: it has no log. Then only its own file
   * is read and SQLite makes none beside it; whether somebody has begun to write meanwhile is for the caller
   * to look.
   */
  static openToRead(path: string, still: boolean, original = path): SqliteDatabase {
    refuseMissing(path)
    return translated(original, () => {
      const url = pathToFileURL(resolve(path))
      url.search = still ? 'immutable=1' : 'mode=ro'
      const opened = new SqliteDatabase(new Database(url.href, { timeout: BUSY_WAIT_MS }), path, true)
      opened.#refuseNewer(original)
      return opened
    })
  }

  /** Made by an earlier version: it must be migrated before it is read. */
  get isOld(): boolean {
    return this.#version() < SCHEMA_STEPS.length
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
    if (!this.#isMarked && !this.#isReader) this.#mark()
    this.exec('BEGIN IMMEDIATE')
    let result: T
    try {
      result = task()
      this.exec('COMMIT')
    } catch (error) {
      if (this.#db.inTransaction) this.exec('ROLLBACK')
      throw error
    }
    if (this.#isCheckpointDue()) this.#checkpoint(this.#asWriter)
    return result
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
    // SQLite moves a log into the ledger once nobody has it open, also one that a killed process has left.
    if (this.#isMarked || (!this.#isReader && hasLog(this.#path)))
      this.#checkpoint(before => (before === this.#token ? 0 : before))
    this.#statements.clear()
    this.#db.close()
  }

  /** Before the first change: sums that are not marked must be right even without a log. */
  #mark(): void {
    try {
      this.#isMarked = withoutWriters(this.#path, () => sumLog(this.#path, this.#asWriter))
    } catch (error) {
      // The transaction meets it too, and says what it means.
      if (codeOf(error).startsWith('SQLITE_')) return
      // A full disk still lets us remove a file.
      removePageSums(this.#path)
      this.#isMarked = true
    }
  }

  /** Nothing depends on it: on a full disk, or where others write all the time, the next one does it. */
  #checkpoint(writerAfter: (before: number) => number): void {
    try {
      withoutWriters(this.#path, () => {
        const frames = sumLog(this.#path, writerAfter)
        if (frames === 0) return
        const [, moved] = this.first('PRAGMA wal_checkpoint(PASSIVE)')!
        // Sums of another log than SQLite has moved would accuse a sound ledger.
        if (moved !== frames) removePageSums(this.#path)
      })
    } catch {
      // The log stays as it is.
    }
  }

  #isCheckpointDue(): boolean {
    if (++this.#transactions % TRANSACTIONS_PER_LOOK > 0) return false
    return (readWalIndex(this.#path)?.frames ?? 0) >= CHECKPOINT_FRAMES
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

  #refuseNewer(path: string): void {
    if (this.#version() <= SCHEMA_STEPS.length) return
    const what = `the ledger ${path} was written by a newer version of orbweaver`
    throw new LedgerError('newer', `${what}; update orbweaver to continue it`)
  }

  #migrate(path: string): void {
    this.#refuseNewer(path)
    for (let step = this.#version(); step < SCHEMA_STEPS.length; step++) {
      this.transaction(() => {
        // Another process may have opened it at the same moment, and been faster.
        if (this.#version() > step) return
        this.exec(SCHEMA_STEPS[step].sqlite)
        this.exec(`PRAGMA user_version = ${step + 1}`)
      })
    }
  }
}

/** Something was committed that may not be in the ledger's own file yet. */
export function hasLog(path: string): boolean {
  return (statSync(walPath(path), { throwIfNoEntry: false })?.size ?? 0) > 0
}

function refuseMissing(path: string): void {
  if (!existsSync(path)) throw new LedgerError('missing', `there is no crawl ledger at ${path}`)
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
