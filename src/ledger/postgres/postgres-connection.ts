/** A connection to the first host of a crawl's PostgreSQL that accepts writes. */
import { Client, types } from 'pg'
import type { PostgresPlace } from '../../model/url/index.js'
import { LedgerError } from '../index.js'
import type { Row, SqlValue } from '../sql/index.js'
import { keepPassword, tlsFor } from './postgres-credentials.js'
import { isIdleTimeout, ledgerErrorOf } from './postgres-errors.js'

export type Value = SqlValue | readonly (number | null)[]

const CONNECT_MS = 10_000
/** Longer than any statement of ours: finds a host that vanished without closing the connection. */
const ANSWER_MS = 60_000
/**
 * A process that hangs inside a transaction holds locks that other agents wait for, even their heartbeats:
 * the server ends the transaction long before a lease expires, and the call is repeated.
 */
const IDLE_IN_TRANSACTION_MS = 2_000
const INT8 = 20

export class PostgresConnection {
  readonly #client: Client
  readonly #place: string
  /** Prepared statements are known by name: the same text has the same name in every connection. */
  readonly #names = new Map<string, string>()
  #isLost = false
  /** The server's message when it ended a connection that was idle in a transaction. */
  #idleError: Error | null = null

  /** `schema` has the tables of the crawl. */
  static async open(place: PostgresPlace, schema: string): Promise<PostgresConnection> {
    let last: unknown = null
    for (const host of place.hosts) {
      const name = placeName({ ...place, hosts: [host] })
      try {
        return await openHost(place, host, name, schema)
      } catch (error) {
        const found = ledgerErrorOf(name, error)
        // A refusal of one host says more than no answer of another.
        if (last === null || !isAway(found)) last = found
      }
    }
    throw last
  }

  constructor(client: Client, place: string) {
    this.#client = client
    this.#place = place
    client.on('error', error => {
      this.#isLost = true
      if (isIdleTimeout(error)) this.#idleError = error
    })
    client.on('end', () => {
      this.#isLost = true
    })
  }

  get isLost(): boolean {
    return this.#isLost
  }

  /** Runs a prepared statement. */
  async all(sql: string, values: readonly Value[]): Promise<readonly Row[]> {
    return (await this.#ask(sql, values)).rows
  }

  /** Returns the number of changed rows. */
  async run(sql: string, values: readonly Value[]): Promise<number> {
    return (await this.#ask(sql, values)).rowCount ?? 0
  }

  /** Runs one or several statements without values together, and returns the rows of the last. */
  async exec(sql: string): Promise<readonly Row[]> {
    try {
      const answer = (await this.#client.query({ text: sql, rowMode: 'array' })) as unknown
      const results = (Array.isArray(answer) ? answer : [answer]) as { rows: Row[] }[]
      return results[results.length - 1].rows
    } catch (error) {
      throw this.#translated(error)
    }
  }

  /** Called for notifications on the channels of this connection. */
  onNotification(listener: (payload: string) => void): void {
    this.#client.on('notification', ({ payload = '' }) => listener(payload))
  }

  /** Called once, however the connection ends. */
  onLost(task: () => void): void {
    this.#client.once('end', task)
  }

  async close(): Promise<void> {
    this.#isLost = true
    await this.#client.end().catch(() => {})
  }

  async #ask(sql: string, values: readonly Value[]): Promise<{ rows: Row[]; rowCount: number | null }> {
    let name = this.#names.get(sql)
    if (name === undefined) {
      name = `s${this.#names.size}`
      this.#names.set(sql, name)
    }
    try {
      return await this.#client.query<Row & unknown[]>({
        name,
        text: sql,
        values: values.map(sendable),
        rowMode: 'array',
      })
    } catch (error) {
      throw this.#translated(error)
    }
  }

  /** A connection without an answer is not used again: its statement may still be running. */
  #translated(error: unknown): unknown {
    const found = isIdleTimeout(error) ? error : (this.#idleError ?? ledgerErrorOf(this.#place, error))
    if (isAway(found) || isIdleTimeout(found)) {
      this.#isLost = true
      void this.#client.end().catch(() => {})
    }
    return found
  }
}

async function openHost(
  { user, database }: PostgresPlace,
  { host, port }: PostgresPlace['hosts'][number],
  name: string,
  schema: string,
): Promise<PostgresConnection> {
  const client = new Client({
    host,
    port,
    ...(user !== undefined && { user }),
    ...(database !== undefined && { database }),
    ssl: tlsFor(host),
    application_name: 'orbweaver',
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: ANSWER_MS,
    keepAlive: true,
    types: { getTypeParser: parserOf },
  })
  keepPassword(client, host, name)
  const connection = new PostgresConnection(client, name)
  try {
    await client.connect()
    const [[readOnly]] = await connection.exec(
      `SET idle_in_transaction_session_timeout = ${IDLE_IN_TRANSACTION_MS}; SET search_path = ${quoted(schema)};
       SELECT current_setting('transaction_read_only')`,
    )
    if (readOnly !== 'off') throw new LedgerError('away', `${name} is a standby, which cannot be written to`)
    return connection
  } catch (error) {
    await connection.close()
    throw error
  }
}

/** All our integers are times, counters and positions below 2^53. */
function parserOf(oid: number, format?: 'text' | 'binary'): (text: string) => unknown {
  return oid === INT8 ? Number : types.getTypeParser(oid, format as 'text')
}

/** A text of PostgreSQL cannot contain NUL; messages of servers may. */
function sendable(value: Value): unknown {
  if (typeof value === 'string') return value.includes('\0') ? value.replaceAll('\0', '\ufffd') : value
  if (Array.isArray(value))
    return typeof value[0] === 'string' ? textArray(value as string[]) : `{${value.join(',')}}`
  if (!(value instanceof Uint8Array) || Buffer.isBuffer(value)) return value
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength)
}

function isAway(error: unknown): boolean {
  return error instanceof LedgerError && error.kind === 'away'
}

/** The address for messages, with the parts that were given. */
export function placeName({ hosts, user, database }: PostgresPlace): string {
  const where = hosts.map(({ host, port }) => `${host}:${port}`).join(',')
  return `postgres://${user === undefined ? '' : `${user}@`}${where}${database === undefined ? '' : `/${database}`}`
}

export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/**
 * Texts as one PostgreSQL array, checked for escapes all at once: there can be thousands, and few need any.
 */
export function textArray(texts: readonly string[]): string {
  if (texts.length === 0) return '{}'
  const plain = NEEDS_ESCAPE.test(texts.join(''))
    ? texts.map(text => text.replaceAll(ESCAPED, '\\$&'))
    : texts
  return `{"${plain.join('","')}"}`
}

const NEEDS_ESCAPE = /["\\]/
const ESCAPED = /["\\]/g

/**
 * Blobs as one value that a statement cuts apart with `substring`: as an array they would travel as text of
 * twice the length. `starts` count from 1.
 */
export function joinedBytes(blobs: readonly Uint8Array[]): {
  readonly bytes: Buffer
  readonly starts: readonly number[]
  readonly lengths: readonly number[]
} {
  const lengths = blobs.map(({ length }) => length)
  let end = 1
  const starts = lengths.map(length => {
    end += length
    return end - length
  })
  return { bytes: Buffer.concat(blobs), starts, lengths }
}
