import { randomInt } from 'node:crypto'
import { existsSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import Database from 'libsql'
import { type Millis, shellWord } from '../../model/index.js'
import { LedgerError } from '../index.js'
import { BUSY_WAIT_MS, CHECKPOINT_FRAMES } from '../limits.js'
import { inSqlite, isList, SCHEMA_VERSION, type SqlValue, type Steps, stepsAfter } from '../sql/index.js'
import {
  dropOrphanedSums,
  readWalIndex,
  removePageSums,
  sumLog,
  walPath,
  withoutWriters,
} from './pages/index.js'

export type Row = readonly (string | number | null | Buffer)[]
type Value = Exclude<SqlValue, readonly unknown[]>

/** The length of the log is read once per this many transactions, because each read is a system call. */
const TRANSACTIONS_PER_CHECK = 16

interface OpenOptions {
  /** Whether the file may be absent, and is then created. */
  readonly create: boolean
  /** The ledger's time; only calls of the port need it. */
  readonly now?: () => Millis
  /** The opener is the crawl itself, and may take the place of a writer that was killed. */
  readonly isCrawling?: boolean
  /** The path that errors name if the ledger is a copy. */
  readonly original?: string
}

/** The part of SQLite that the ledger uses: prepared statements cached by their text, rows as arrays. */
export class SqliteDatabase {
  readonly #db: Database.Database
  readonly #statements = new Map<string, Database.Statement>()
  readonly #path: string
  readonly #isReader: boolean
  readonly #now: () => Millis
  /** The file of page sums says that there is a writer. */
  #isMarked = false
  #transactions = 0
  readonly #token = randomInt(1, 0xffffffff)
  /**
   * The writer to note in the page sums, given the noted one. Only a crawl replaces a writer that was killed:
   * other commands cannot know whether it still runs.
   */
  readonly #asWriter: (before: number) => number

  private constructor(
    db: Database.Database,
    path: string,
    isReader: boolean,
    { isCrawling = false, now = () => 0 }: Omit<OpenOptions, 'create'>,
  ) {
    this.#asWriter = before => (isCrawling || before === 0 ? this.#token : before)
    this.#now = now
    this.#db = db
    this.#path = path
    this.#isReader = isReader
  }

  /** Opens (and migrates) the ledger at `path`. */
  static open(path: string, options: OpenOptions): SqliteDatabase {
    const { create, original = path } = options
    if (!create) refuseMissing(path)
    return translated(original, () => {
      dropOrphanedSums(path)
      const opened = new SqliteDatabase(new Database(path, { timeout: BUSY_WAIT_MS }), path, false, options)
      opened.#db.pragma('journal_mode = WAL')
      opened.#db.pragma('synchronous = FULL')
      opened.#db.pragma('cache_size = -4000')
      opened.#db.pragma('wal_autocheckpoint = 0')
      opened.#migrate(original)
      return opened
    })
  }

  /**
   * Opens the ledger at `path` read-only. `still`: it has no log; then SQLite reads only the ledger file and
   * creates none beside it, and the caller has to check whether a writer has started since.
   */
  static openToRead(path: string, still: boolean, options: Omit<OpenOptions, 'create'> = {}): SqliteDatabase {
    const { original = path } = options
    refuseMissing(path)
    return translated(original, () => {
      const url = pathToFileURL(resolve(path))
      url.search = still ? 'immutable=1' : 'mode=ro'
      const opened = new SqliteDatabase(
        new Database(url.href, { timeout: BUSY_WAIT_MS }),
        path,
        true,
        options,
      )
      opened.#refuseNewer(original)
      return opened
    })
  }

  /** True if an earlier version made the ledger, which must then be migrated before it is read. */
  get isOld(): boolean {
    return this.#version() < SCHEMA_VERSION
  }

  get now(): Millis {
    return this.#now()
  }

  run(sql: string, ...values: Value[]): number {
    return this.#prepare(sql).run(values.map(bindable)).changes
  }

  all(sql: string, ...values: Value[]): readonly Row[] {
    return this.#prepare(sql).raw().all(values) as Row[]
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
    // A full disk ends the whole transaction; a savepoint would then start an implicit new one.
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
    // When the last connection closes, SQLite moves the log into the ledger, also one left by a killed
    // process.
    if (this.#isMarked || (!this.#isReader && hasLog(this.#path)))
      this.#checkpoint(before => (before === this.#token ? 0 : before))
    this.#statements.clear()
    this.#db.close()
  }

  /** Before the first change: page sums without a noted writer must be right even without a log. */
  #mark(): void {
    try {
      this.#isMarked = withoutWriters(this.#path, () => sumLog(this.#path, this.#asWriter))
    } catch (error) {
      // The transaction meets the same error and reports it.
      if (codeOf(error).startsWith('SQLITE_')) return
      // Removing a file works even on a full disk.
      removePageSums(this.#path)
      this.#isMarked = true
    }
  }

  /** May fail on a full disk, or while others write: the next checkpoint then does the work. */
  #checkpoint(writerAfter: (before: number) => number): void {
    try {
      withoutWriters(this.#path, () => {
        const frames = sumLog(this.#path, writerAfter)
        if (frames === 0) return
        const [, moved] = this.first('PRAGMA wal_checkpoint(PASSIVE)')!
        // SQLite has moved another log than the one that was summed: wrong sums would report damage.
        if (moved !== frames) removePageSums(this.#path)
      })
    } catch {
      // The log stays as it is.
    }
  }

  #isCheckpointDue(): boolean {
    if (++this.#transactions % TRANSACTIONS_PER_CHECK > 0) return false
    return (readWalIndex(this.#path)?.frames ?? 0) >= CHECKPOINT_FRAMES
  }

  #prepare(sql: string): Database.Statement {
    let statement = this.#statements.get(sql)
    if (!statement) {
      statement = this.#db.prepare(inSqlite(sql))
      this.#statements.set(sql, statement)
    }
    return statement
  }

  #version(): number {
    return Number((this.first('PRAGMA user_version') ?? [0])[0])
  }

  #refuseNewer(path: string): void {
    if (this.#version() <= SCHEMA_VERSION) return
    const what = `the ledger ${path} was written by a newer version of orbweaver`
    throw new LedgerError('newer', `${what}; update orbweaver to continue it`)
  }

  #migrate(path: string): void {
    this.#refuseNewer(path)
    if (!this.isOld) return
    this.transaction(() => {
      // Another process may have opened it at the same moment, and been faster.
      for (const { sqlite } of stepsAfter(this.#version())) this.exec(sqlite)
      this.exec(`PRAGMA user_version = ${SCHEMA_VERSION}`)
    })
  }
}

/** Runs the steps of a call that both engines share. */
export function answer<T>(db: Pick<SqliteDatabase, 'all' | 'run'>, steps: Steps<T>): T {
  for (let step = steps.next([]); ; ) {
    if (step.done) return step.value
    const [sql, ...shared] = step.value
    const values = shared.map(value => (isList(value) ? JSON.stringify(value) : bindable(value)))
    if (isQuery(sql)) step = steps.next(db.all(sql, ...values))
    else {
      db.run(sql, ...values)
      step = steps.next([])
    }
  }
}

/** The binding has one method for statements with rows and another, faster one for those without. */
function isQuery(sql: string): boolean {
  return sql.startsWith('SELECT') || sql.startsWith('WITH') || sql.includes('RETURNING')
}

/** Whether commits may be in the log that are not in the ledger file yet. */
export function hasLog(path: string): boolean {
  return (statSync(walPath(path), { throwIfNoEntry: false })?.size ?? 0) > 0
}

function refuseMissing(path: string): void {
  if (!existsSync(path)) throw new LedgerError('missing', `there is no crawl ledger at ${path}`)
}

/** The binding accepts only Buffers as blobs; bytes from another thread are plain arrays. */
function bindable(value: Value): Value {
  if (!(value instanceof Uint8Array) || Buffer.isBuffer(value)) return value
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength)
}

/** Turns SQLite's errors about the file itself into a LedgerError that says what to do. */
export function translated<T>(path: string, task: () => T): T {
  try {
    return task()
  } catch (error) {
    throw error instanceof LedgerError ? error : (ledgerErrorOf(path, error) ?? error)
  }
}

function ledgerErrorOf(path: string, error: unknown): LedgerError | null {
  const code = codeOf(error)
  // A SyntaxError: stored JSON no longer parses, so a page is damaged that SQLite accepts.
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

/** Tables of the schema are missing or different. */
function isOtherSchema(code: string, error: unknown): boolean {
  if (code !== 'SQLITE_ERROR') return false
  return /no such (?:table|column)|already exists|has no column/i.test((error as Error).message)
}

function codeOf(error: unknown): string {
  const { code = '' } = error as { code?: string }
  if (code.startsWith('SQLITE_') && code !== 'SQLITE_ERROR') return code
  return isUnwritable(error) ? 'SQLITE_READONLY' : code
}

/** For a file that cannot be opened, the binding has no error code but only a message. */
export function isUnwritable(error: unknown): boolean {
  return /readonly database|unable to open (database|connection)/i.test((error as Error).message)
}
