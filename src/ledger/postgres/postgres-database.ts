/**
 * The part of PostgreSQL that the ledger uses: a few connections, and transactions repeated after a conflict.
 */
import type { Millis } from '../../model/index.js'
import type { PostgresPlace } from '../../model/url/index.js'
import type { Row, Steps } from '../sql/index.js'
import { PostgresConnection, placeName, type Value } from './postgres-connection.js'
import { isUndone, ledgerErrorOf } from './postgres-errors.js'

/** Parallel calls of one process; further calls wait here, not in the database. */
const MOST_CONNECTIONS = 6
const MOST_TRIES = 10
const DATABASE_TIME = 'floor(extract(epoch from clock_timestamp()) * 1000)::bigint'

/** `now` is the database's time at the start of the transaction. */
export interface Transaction {
  readonly now: Millis
  all(sql: string, ...values: Value[]): Promise<readonly Row[]>
  first(sql: string, ...values: Value[]): Promise<Row | undefined>
  run(sql: string, ...values: Value[]): Promise<number>
}

/** Runs the steps of a call that both engines share. */
export async function answer<T>(db: Pick<Transaction, 'all'>, steps: Steps<T>): Promise<T> {
  for (let step = steps.next([]); ; ) {
    if (step.done) return step.value
    step = steps.next(await db.all(...step.value))
  }
}

export interface DatabaseOptions {
  readonly place: PostgresPlace
  readonly schema: string
  /** For tests: an expression for the time. */
  readonly timeSql?: () => string
}

export class PostgresDatabase {
  readonly #options: DatabaseOptions
  readonly #idle: PostgresConnection[] = []
  readonly #waiting: (() => void)[] = []
  #open = 0
  #isClosed = false

  constructor(options: DatabaseOptions) {
    this.#options = options
  }

  /** A single statement outside of a transaction. */
  all(sql: string, ...values: Value[]): Promise<readonly Row[]> {
    return this.use(connection => connection.all(sql, values))
  }

  async first(sql: string, ...values: Value[]): Promise<Row | undefined> {
    return (await this.all(sql, ...values))[0]
  }

  /** Runs `task` in one transaction; an exception rolls back. After a conflict `task` runs again. */
  async transaction<T>(task: (tx: Transaction) => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.use(connection => this.#once(connection, task))
      } catch (error) {
        if (!isUndone(error)) throw error
        if (tries === MOST_TRIES) throw ledgerErrorOf(placeName(this.#options.place), error)
      }
    }
  }

  async use<T>(task: (connection: PostgresConnection) => Promise<T>): Promise<T> {
    const connection = await this.#acquire()
    try {
      return await task(connection)
    } finally {
      this.#release(connection)
    }
  }

  /** Does not wait for calls in progress. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const wake of this.#waiting.splice(0)) wake()
    await Promise.all(this.#idle.splice(0).map(connection => connection.close()))
  }

  async #once<T>(connection: PostgresConnection, task: (tx: Transaction) => Promise<T>): Promise<T> {
    const [[now]] = await connection.exec(`BEGIN; SELECT ${this.#options.timeSql?.() ?? DATABASE_TIME}`)
    const all = (sql: string, ...values: Value[]) => connection.all(sql, values)
    try {
      const result = await task({
        now: Number(now),
        all,
        first: async (sql, ...values) => (await connection.all(sql, values))[0],
        run: (sql, ...values) => connection.run(sql, values),
      })
      await connection.exec('COMMIT')
      return result
    } catch (error) {
      if (!connection.isLost) await connection.exec('ROLLBACK').catch(() => {})
      throw error
    }
  }

  async #acquire(): Promise<PostgresConnection> {
    for (;;) {
      if (this.#isClosed) throw new Error('the ledger is closed')
      const idle = this.#idle.pop()
      if (idle) {
        if (!idle.isLost) return idle
        this.#open--
        continue
      }
      if (this.#open < MOST_CONNECTIONS) return this.#connect()
      await new Promise<void>(resolve => this.#waiting.push(resolve))
    }
  }

  async #connect(): Promise<PostgresConnection> {
    const { place, schema } = this.#options
    this.#open++
    try {
      return await PostgresConnection.open(place, schema)
    } catch (error) {
      this.#open--
      this.#waiting.shift()?.()
      throw error
    }
  }

  #release(connection: PostgresConnection): void {
    if (this.#isClosed) void connection.close()
    else if (connection.isLost) this.#open--
    else this.#idle.push(connection)
    this.#waiting.shift()?.()
  }
}
