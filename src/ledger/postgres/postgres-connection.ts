/** One connection to the PostgreSQL of a crawl: to the first of its hosts that can be written to. */
import { Client, types } from 'pg'
import type { PostgresPlace } from '../../model/url/index.js'
import { LedgerError } from '../index.js'
import { keepPassword, tlsFor } from './postgres-credentials.js'
import { ledgerErrorOf, stoodStill } from './postgres-errors.js'

export type Row = readonly (string | number | boolean | null | Buffer)[]
export type Value = string | number | null | Uint8Array | readonly (number | null)[]

const CONNECT_MS = 10_000
/** No statement of ours takes so long; a host that has gone without a word is noticed. */
const ANSWER_MS = 60_000
/**
 * Who stands still inside a transaction holds rows that others wait for, their heartbeats among them: the
 * server ends it long before anybody's lease is over. What was under way is sent again.
 */
const IDLE_IN_TRANSACTION_MS = 2_000
const INT8 = 20

export class PostgresConnection {
  readonly #client: Client
  readonly #place: string
  /** Prepared statements are known by name: the same text has the same name in every connection. */
  readonly #names = new Map<string, string>()
  #isLost = false
  /** What the server said when it ended a connection that held rows too long. */
  #stoodStill: Error | null = null

  /** `schema`: where the tables of the crawl are. */
  static async open(place: PostgresPlace, schema: string): Promise<PostgresConnection> {
    let last: unknown = null
    for (const host of place.hosts) {
      const name = placeName({ ...place, hosts: [host] })
      try {
        return await openHost(place, host, name, schema)
      } catch (error) {
        const found = ledgerErrorOf(name, error)
        // Refused by the one that answers says more than silence of the other.
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
      if (stoodStill(error)) this.#stoodStill = error
    })
    client.on('end', () => {
      this.#isLost = true
    })
  }

  get isLost(): boolean {
    return this.#isLost
  }

  /** A statement with values, prepared once. */
  async all(sql: string, values: readonly Value[]): Promise<readonly Row[]> {
    return (await this.#ask(sql, values)).rows
  }

  /** How many rows it changed. */
  async run(sql: string, values: readonly Value[]): Promise<number> {
    return (await this.#ask(sql, values)).rowCount ?? 0
  }

  /** One or several statements without values, sent together: the rows of the last. */
  async exec(sql: string): Promise<readonly Row[]> {
    try {
      const answer = (await this.#client.query({ text: sql, rowMode: 'array' })) as unknown
      const results = (Array.isArray(answer) ? answer : [answer]) as { rows: Row[] }[]
      return results[results.length - 1].rows
    } catch (error) {
      throw this.#translated(error)
    }
  }

  /** What others say on the channels that this connection listens to. */
  onNotification(hear: (payload: string) => void): void {
    this.#client.on('notification', ({ payload = '' }) => hear(payload))
  }

  /** Once, however it ends. */
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

  /** What got no answer is not used again: nobody knows what it is still busy with. */
  #translated(error: unknown): unknown {
    const found = stoodStill(error) ? error : (this.#stoodStill ?? ledgerErrorOf(this.#place, error))
    if (isAway(found) || stoodStill(found)) {
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

/** Our numbers are times, counters and positions below 2^53. */
function parserOf(oid: number, format?: 'text' | 'binary'): (text: string) => unknown {
  return oid === INT8 ? Number : types.getTypeParser(oid, format as 'text')
}

/** A text of PostgreSQL cannot hold a zero; what servers say may. */
function sendable(value: Value): unknown {
  if (typeof value === 'string') return value.includes('\0') ? value.replaceAll('\0', '\ufffd') : value
  if (Array.isArray(value)) return `{${value.join(',')}}`
  if (!(value instanceof Uint8Array) || Buffer.isBuffer(value)) return value
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength)
}

function isAway(error: unknown): boolean {
  return error instanceof LedgerError && error.kind === 'away'
}

/** For messages: what was asked for, as far as it was said. */
export function placeName({ hosts, user, database }: PostgresPlace): string {
  const where = hosts.map(({ host, port }) => `${host}:${port}`).join(',')
  return `postgres://${user === undefined ? '' : `${user}@`}${where}${database === undefined ? '' : `/${database}`}`
}

export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/**
 * Texts as one array of PostgreSQL: they are thousands in a statement, and hardly one has anything to escape.
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
