/** The tables of a crawl, open for reading. */
import type { DuckDBInstance } from '@duckdb/node-api'
import { ConfigError } from '../../config/index.js'
import { Connection, type Interruption } from './connection.js'
import { openLockedInstance, type QueryLimits } from './locked-instance.js'
import { checkReadOnly } from './read-only-sql.js'
import { openStream, type Result } from './row-stream.js'
import { openSnapshot, type Snapshot } from './snapshot.js'
import { sqlError } from './sql-error.js'
import type { Value } from './values.js'

export type Row = Readonly<Record<string, Value>>

export interface TablesOptions extends QueryLimits {
  /** Directory of a crawl whose pages can be read too, as `previous_pages`. */
  readonly previous?: string
  /** When its signal aborts, running statements end and its reason is thrown. */
  readonly interruption?: Interruption | undefined
  /** Receives a line when the manifest was read instead of the ledger. */
  readonly note?: (line: string) => void
}

export interface Tables {
  /** Checks that `sql` only reads, starts it and streams its rows. Throws a ConfigError. */
  run(sql: string): Promise<Result>
  /** The rows of `run` as objects. */
  query(sql: string): AsyncGenerator<Row>
  close(): Promise<void>
}

/** Attempts to start a query while merges remove files. */
const TRIES = 5

/**
 * Opens the committed tables of a crawl. Throws a ConfigError if `dir` is not a crawl, a DamageError if a
 * file is damaged.
 */
export async function openTables(dir: string, options: TablesOptions = {}): Promise<Tables> {
  const tables = new DuckTables(dir, options)
  await tables.open()
  return tables
}

class DuckTables implements Tables {
  readonly #dir: string
  readonly #options: TablesOptions
  readonly #snapshots: Snapshot[] = []
  #instance: DuckDBInstance | undefined
  readonly #connections = new Set<Connection>()

  constructor(dir: string, options: TablesOptions) {
    this.#dir = dir
    this.#options = options
  }

  async open(): Promise<void> {
    const { previous, note, interruption } = this.#options
    for (let tries = 1; ; tries++) {
      try {
        for (const dir of [this.#dir, ...(previous === undefined ? [] : [previous])])
          this.#snapshots.push(await openSnapshot(dir, { note, signal: interruption?.signal }))
        this.#instance = await openLockedInstance(this.#snapshots, this.#options, interruption)
        return
      } catch (error) {
        const isStale = this.#isStale
        await this.close()
        if (!isStale || tries === TRIES || this.#isAborted) throw error
      }
    }
  }

  async run(sql: string): Promise<Result> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.#start(sql)
      } catch (error) {
        if (this.#isAborted) throw error
        const others = this.#connections.size > 0
        if (tries === TRIES || others || !this.#isStale) throw sqlError(error)
        // Files that could not be linked were merged after they were listed: list again.
        await this.close()
        await this.open()
      }
    }
  }

  async *query(sql: string): AsyncGenerator<Row> {
    const { columns, batches } = await this.run(sql)
    for await (const rows of batches())
      for (const row of rows) yield Object.fromEntries(columns.map((name, i) => [name, row[i]]))
  }

  async close(): Promise<void> {
    await Promise.all([...this.#connections].map(connection => this.#release(connection)))
    this.#instance?.closeSync()
    this.#instance = undefined
    for (const snapshot of this.#snapshots.splice(0)) await snapshot.close()
  }

  async #start(sql: string): Promise<Result> {
    const connection = await this.#connect()
    try {
      const select = await checkReadOnly(connection, sql)
      const stream = await openStream(connection, select)
      return { columns: stream.columns, batches: () => this.#batches(connection, stream) }
    } catch (error) {
      await this.#release(connection)
      throw error
    }
  }

  async *#batches(connection: Connection, stream: Result): AsyncGenerator<Iterable<readonly Value[]>> {
    try {
      yield* stream.batches()
    } catch (error) {
      if (this.#isAborted) throw error
      if (this.#isStale)
        throw new ConfigError('files of the crawl were merged while they were read; run it again')
      throw sqlError(error)
    } finally {
      await this.#release(connection)
    }
  }

  get #isAborted(): boolean {
    return this.#options.interruption?.signal.aborted ?? false
  }

  /** A merge has removed files since they were listed. */
  get #isStale(): boolean {
    return this.#snapshots.some(snapshot => snapshot.isStale())
  }

  async #connect(): Promise<Connection> {
    if (!this.#instance) throw new Error('the tables are closed')
    const connection = new Connection(await this.#instance.connect(), this.#options.interruption)
    this.#connections.add(connection)
    return connection
  }

  async #release(connection: Connection): Promise<void> {
    if (this.#connections.delete(connection)) await connection.close()
  }
}
