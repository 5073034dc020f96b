/**
 * The tables of a crawl, open for reading: DuckDB in memory, views over the files, everything else locked
 * away.
 */
import { mkdir } from 'node:fs/promises'
import { availableParallelism, totalmem } from 'node:os'
import { join } from 'node:path'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { ConfigError } from '../config/config-error.js'
import { LIMITS } from '../model/limits.js'
import { checkReadOnly } from './read-only-sql.js'
import { openStream, type RowStream } from './row-stream.js'
import { openSnapshot, type Snapshot } from './snapshot.js'
import { sqlError } from './sql-error.js'
import type { Value } from './values.js'
import { createViews, quoteText } from './views.js'

export type Row = Readonly<Record<string, Value>>

export interface TablesOptions {
  /** What DuckDB may use before it turns to temporary files. */
  readonly memoryBytes?: number
  readonly threads?: number
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
  readonly #connections = new Set<DuckDBConnection>()

  constructor(dir: string, options: TablesOptions) {
    this.#dir = dir
    this.#options = options
  }

  async open(): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        this.#snapshot = await openSnapshot(this.#dir, this.#options.note ?? (() => {}))
        this.#instance = await lockedInstance(this.#snapshot, this.#options)
        return
      } catch (error) {
        const moved = this.#snapshot?.isStale() ?? false
        await this.close()
        if (!moved || tries === TRIES) throw error
      }
    }
  }

  async run(sql: string): Promise<Result> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.#start(sql)
      } catch (error) {
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
    if (!this.#instance) throw new Error('the tables are closed')
    const connection = await this.#instance.connect()
    try {
      const { text } = await checkReadOnly(connection, sql)
      await connection.run(`CREATE OR REPLACE TABLE ${table} AS ${text}`)
    } catch (error) {
      throw sqlError(error)
    } finally {
      connection.closeSync()
    }
  }

  async close(): Promise<void> {
    for (const connection of this.#connections) {
      connection.interrupt()
      connection.closeSync()
    }
    this.#connections.clear()
    this.#instance?.closeSync()
    this.#instance = undefined
    await this.#snapshot?.close()
    this.#snapshot = undefined
  }

  async #start(sql: string): Promise<Result> {
    if (!this.#instance) throw new Error('the tables are closed')
    const connection = await this.#instance.connect()
    this.#connections.add(connection)
    try {
      const select = await checkReadOnly(connection, sql)
      const stream = await openStream(connection, select)
      return { columns: stream.columns, batches: () => this.#batches(connection, stream) }
    } catch (error) {
      this.#release(connection)
      throw error
    }
  }

  async *#batches(
    connection: DuckDBConnection,
    stream: RowStream,
  ): AsyncGenerator<Iterable<readonly Value[]>> {
    try {
      yield* stream.batches()
    } catch (error) {
      if (this.#snapshot?.isStale())
        throw new ConfigError('files of the crawl were merged while they were read; run it again')
      throw sqlError(error)
    } finally {
      this.#release(connection)
    }
  }

  #release(connection: DuckDBConnection): void {
    if (!this.#connections.delete(connection)) return
    connection.interrupt()
    connection.closeSync()
  }
}

async function lockedInstance(snapshot: Snapshot, options: TablesOptions): Promise<DuckDBInstance> {
  const spill = join(snapshot.scratchDir, 'spill')
  await mkdir(spill, { recursive: true })
  const memoryBytes = options.memoryBytes ?? Math.min(LIMITS.queryMemoryBytes, Math.floor(totalmem() / 4))
  const instance = await DuckDBInstance.create(':memory:', {
    threads: String(options.threads ?? Math.min(availableParallelism(), 4)),
    memory_limit: `${Math.ceil(memoryBytes / 1024)}KiB`,
    temp_directory: spill,
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
  })
  try {
    const connection = await instance.connect()
    await createViews(connection, snapshot.files)
    const paths = Object.values(snapshot.files).flat().map(quoteText)
    await connection.run(`SET allowed_paths = [${paths.join(', ')}]`)
    await connection.run(`SET GLOBAL TimeZone = 'UTC'`)
    await connection.run('SET enable_external_access = false')
    await connection.run('SET lock_configuration = true')
    connection.closeSync()
    return instance
  } catch (error) {
    instance.closeSync()
    throw sqlError(error)
  }
}
