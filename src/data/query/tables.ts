/**
 * The tables of a crawl, open for reading: DuckDB in memory, views over the files, everything else locked
 * away.
 */
import type { DuckDBInstance } from '@duckdb/node-api'
import { ConfigError } from '../../config/index.js'
import { Connection, type Interruption } from './connection.js'
import { lockedInstance, type QueryLimits } from './locked-instance.js'
import { checkReadOnly } from './read-only-sql.js'
import { openStream, type RowStream } from './row-stream.js'
import { openSnapshot, type Snapshot } from './snapshot.js'
import { sqlError } from './sql-error.js'
import type { Value } from './values.js'

export type Row = Readonly<Record<string, Value>>

export interface TablesOptions extends QueryLimits {
  /** Its signal ends whatever is under way, and its reason is thrown. */
  readonly interruption?: Interruption | undefined
  /** Told, in one line, when the ledger could not be asked and the manifest was. */
  readonly note?: (line: string) => void
}

/** One result, to be read once. */
export interface Result {
  readonly columns: readonly string[]
  /** Rows in portions of DuckDB's making; a portion is valid until the next is asked for. */
  batches(): AsyncGenerator<Iterable<readonly Value[]>>
}

export interface Tables {
  /** Checks that `sql` only reads, starts it, and gives its rows as they come. Throws a ConfigError. */
  run(sql: string): Promise<Result>
  /** The rows of `run` as objects. */
  query(sql: string): AsyncGenerator<Row>
  /**
   * Keeps what `sql` selects, in that order, as a table of its own (on disk where memory is short) until
   * `close`.
   */
  keep(table: string, sql: string): Promise<void>
  close(): Promise<void>
}

/** How often a query is started anew because a merge took a file away. */
const TRIES = 5

/**
 * Opens the tables of the crawl in `dir` as they are committed now. Throws a ConfigError when it is not a
 * crawl, and a DamageError when a file of it is not what was written.
 */
export async function openTables(dir: string, options: TablesOptions = {}): Promise<Tables> {
  const tables = new DuckTables(dir, options)
  await tables.open()
  return tables
}

class DuckTables implements Tables {
  readonly #dir: string
  readonly #options: TablesOptions
  #snapshot: Snapshot | undefined
  #instance: DuckDBInstance | undefined
  readonly #connections = new Set<Connection>()

  constructor(dir: string, options: TablesOptions) {
    this.#dir = dir
    this.#options = options
  }

  async open(): Promise<void> {
    const { note, interruption } = this.#options
    for (let tries = 1; ; tries++) {
      try {
        this.#snapshot = await openSnapshot(this.#dir, { note, signal: interruption?.signal })
        this.#instance = await lockedInstance(this.#snapshot, this.#options, interruption)
        return
      } catch (error) {
        const moved = this.#snapshot?.isStale() ?? false
        await this.close()
        if (!moved || tries === TRIES || this.#isAborted) throw error
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
        if (tries === TRIES || others || !this.#snapshot?.isStale()) throw sqlError(error)
        // Files were merged between the listing and the reading, and could not be pinned: list again.
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

  async keep(table: string, sql: string): Promise<void> {
    const connection = await this.#connect()
    try {
      const { text } = await checkReadOnly(connection, sql)
      await connection.call(inner => inner.run(`CREATE OR REPLACE TABLE ${table} AS ${text}`))
    } catch (error) {
      throw this.#isAborted ? error : sqlError(error)
    } finally {
      await this.#release(connection)
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#connections].map(connection => this.#release(connection)))
    this.#instance?.closeSync()
    this.#instance = undefined
    await this.#snapshot?.close()
    this.#snapshot = undefined
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

  async *#batches(connection: Connection, stream: RowStream): AsyncGenerator<Iterable<readonly Value[]>> {
    try {
      yield* stream.batches()
    } catch (error) {
      if (this.#isAborted) throw error
      if (this.#snapshot?.isStale())
        throw new ConfigError('files of the crawl were merged while they were read; run it again')
      throw sqlError(error)
    } finally {
      await this.#release(connection)
    }
  }

  get #isAborted(): boolean {
    return this.#options.interruption?.signal.aborted ?? false
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
