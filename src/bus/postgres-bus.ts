/**
 * The bus between machines: LISTEN and NOTIFY on its own connection, never inside a transaction of the
 * ledger, because a NOTIFY takes a lock of the whole server when it commits. Messages are collected and sent
 * a few times a second. Messages beyond the limits, or without a connection, are lost: agents read the ledger
 * with every heartbeat anyway.
 */

import { PostgresConnection, quoted, schemaOf } from '../ledger/postgres/index.js'
import type { CellId, Clock, Millis, Random } from '../model/index.js'
import type { PostgresPlace } from '../model/url/index.js'
import type { Bus, BusMessage } from './bus.js'
import { POSTGRES_BUS_GATHER_MS, POSTGRES_BUS_PAYLOAD_BYTES, RECONNECT_MS } from './limits.js'

const MOST_PAYLOADS = 8
const MOST_MESSAGES = 500
/** A host name has at most 253 bytes. */
const CELLS_PER_MESSAGE = 25

interface Waiting {
  readonly message: BusMessage
  readonly since: Millis
}

interface Payload {
  readonly from: string
  readonly messages: readonly BusMessage[]
}

export interface PostgresBusParts {
  readonly place: PostgresPlace
  readonly crawl: string
  readonly clock: Clock
  readonly random: Random
}

export class PostgresBus implements Bus {
  readonly #parts: PostgresBusParts
  /** Marks our own messages, which PostgreSQL also delivers to us. */
  readonly #own: string
  readonly #listeners = new Set<(message: BusMessage) => void>()
  #outbox: Waiting[] = []
  #connection: PostgresConnection | null = null
  #cancel: (() => void) | null = null
  #cancelReconnect: (() => void) | null = null
  #isClosed = false

  constructor(parts: PostgresBusParts) {
    this.#parts = parts
    this.#own = Math.floor(parts.random.next() * 2 ** 52).toString(36)
    void this.#connect()
  }

  send(message: BusMessage): void {
    if (this.#outbox.length >= MOST_MESSAGES || this.#isClosed) return
    this.#outbox.push({ message, since: this.#parts.clock.monotonic() })
    this.#cancel ??= this.#parts.clock.after(POSTGRES_BUS_GATHER_MS, () => {
      this.#cancel = null
      void this.#flush()
    })
  }

  subscribe(hear: (message: BusMessage) => void): () => void {
    this.#listeners.add(hear)
    return () => void this.#listeners.delete(hear)
  }

  /** Sends the collected messages first. */
  async close(): Promise<void> {
    this.#cancel?.()
    await this.#flush()
    this.#isClosed = true
    this.#cancelReconnect?.()
    await this.#connection?.close()
  }

  async #connect(): Promise<void> {
    const { place, crawl } = this.#parts
    try {
      const connection = await PostgresConnection.open(place, schemaOf(crawl))
      connection.onNotification(payload => this.#hear(payload))
      connection.onLost(() => this.#reconnect())
      await connection.exec(`LISTEN ${quoted(schemaOf(crawl))}`)
      this.#connection = connection
      if (this.#isClosed) await connection.close()
    } catch {
      this.#reconnect()
    }
  }

  /** A timer left after `close` would keep the process alive until it fires. */
  #reconnect(): void {
    if (this.#isClosed) return
    this.#cancelReconnect?.()
    this.#cancelReconnect = this.#parts.clock.after(RECONNECT_MS, () => void this.#connect())
  }

  #hear(payload: string): void {
    const { from, messages } = JSON.parse(payload) as Payload
    if (from === this.#own) return
    for (const message of messages) for (const listener of this.#listeners) listener(message)
  }

  async #flush(): Promise<void> {
    const now = this.#parts.clock.monotonic()
    const messages = this.#outbox.map(({ message, since }) => heldFor(message, now - since))
    this.#outbox = []
    const connection = this.#connection
    if (messages.length === 0 || !connection || connection.isLost) return
    try {
      for (const payload of payloadsOf(this.#own, messages).slice(0, MOST_PAYLOADS))
        await connection.all('SELECT pg_notify($1, $2)', [schemaOf(this.#parts.crawl), payload])
    } catch {
      // Lost: nothing depends on it.
    }
  }
}

/** Adds the time that a ping or pong waited here, so that it does not count as round-trip time. */
function heldFor(message: BusMessage, heldMs: Millis): BusMessage {
  if (message.kind !== 'ping' && message.kind !== 'pong') return message
  return { ...message, heldMs: message.heldMs + heldMs }
}

/** Messages in as few payloads as possible; cells with new inbox rows are named once. */
export function payloadsOf(from: string, messages: readonly BusMessage[]): string[] {
  const cells = new Set<CellId>()
  const parts: BusMessage[] = []
  for (const message of messages) {
    if (message.kind === 'inbox') for (const cell of message.cells) cells.add(cell)
    else parts.push(message)
  }
  const named = [...cells]
  for (let i = 0; i < named.length; i += CELLS_PER_MESSAGE)
    parts.push({ kind: 'inbox', cells: named.slice(i, i + CELLS_PER_MESSAGE) })
  const payloads: string[] = []
  let letter: string[] = []
  let bytes = 0
  const seal = () => {
    if (letter.length > 0) payloads.push(`{"from":"${from}","messages":[${letter.join(',')}]}`)
    letter = []
    bytes = 0
  }
  for (const part of parts) {
    const text = JSON.stringify(part)
    const size = Buffer.byteLength(text) + 1
    if (size > POSTGRES_BUS_PAYLOAD_BYTES) continue
    if (bytes + size > POSTGRES_BUS_PAYLOAD_BYTES) seal()
    letter.push(text)
    bytes += size
  }
  seal()
  return payloads
}
