/**
 * One open socket and the exchange on it. There is no stream between the socket and the response reader: the
 * socket reads into a reused buffer, and the reader copies what it keeps.
 */
import type { Socket } from 'node:net'
import { type Clock, type Millis, READ_BYTES } from '../../../model/index.js'
import type { ResponseReader } from '../http/index.js'
import { LazyDeadline } from './lazy-deadline.js'
import type { Outbox } from './outbox.js'
import type { Pooled } from './site-slots.js'

/** How an exchange ended. `over`: the reader is complete, has enough, or has found an error. */
export type Ending = 'over' | 'closed' | 'broken' | 'late'

/** Receives the end of an exchange. */
export interface Exchanging {
  readonly reader: ResponseReader
  ended(how: Ending, detail: string): void
  /** The reader threw, which is a bug in this program. */
  failed(error: unknown): void
}

export interface SendLimits {
  readonly headersMs: Millis
  readonly fetchMs: Millis
}

/** On Unix each read is handled before the next one, so all sockets share a buffer. */
const sharedInbox = Buffer.allocUnsafe(READ_BYTES)
const WINDOWS_INBOX_BYTES = 16 * 1024

/** Windows fills buffers ahead of time, so each socket needs its own. */
export function inboxForSocket(): Buffer {
  return process.platform === 'win32' ? Buffer.allocUnsafe(WINDOWS_INBOX_BYTES) : sharedInbox
}

export class Connection implements Pooled {
  readonly address: string
  readonly secure: boolean
  readonly connectMs: Millis
  /** Number of requests sent. */
  requests = 0
  /** Set by the owner; called when the connection ends while idle. */
  lost: () => void = () => {}
  readonly #socket: Socket
  readonly #outbox: Outbox
  readonly #clock: Clock
  readonly #deadline: LazyDeadline
  readonly #resume: () => void
  #exchanging: Exchanging | null = null
  #fetchDeadline: Millis = 0

  constructor(
    socket: Socket,
    outbox: Outbox,
    clock: Clock,
    address: string,
    secure: boolean,
    connectMs: Millis,
  ) {
    this.#socket = socket
    this.#outbox = outbox
    this.#clock = clock
    this.address = address
    this.secure = secure
    this.connectMs = connectMs
    this.#deadline = new LazyDeadline(clock, () => this.#end('late', ''))
    this.#resume = () => void socket.resume()
    socket.on('end', () => this.#ended())
    socket.on('error', (error: NodeJS.ErrnoException) => this.#end('broken', error.code ?? error.message))
    socket.on('close', () => this.#end('closed', ''))
  }

  fits(secure: boolean, address: string | undefined): boolean {
    return this.secure === secure && (address === undefined || this.address === address)
  }

  /** Sends a request in one write. Both deadlines count from `now`. */
  send(exchanging: Exchanging, head: Buffer, now: Millis, limits: SendLimits): void {
    const { headersMs, fetchMs } = limits
    this.requests++
    this.#exchanging = exchanging
    this.#fetchDeadline = now + fetchMs
    this.#deadline.set(now + Math.min(headersMs, fetchMs), now)
    this.#outbox.send(this.#socket, head)
  }

  /** Handles the received `inbox[0..count)`. False pauses the socket. */
  receive(inbox: Buffer, count: number): boolean {
    const exchanging = this.#exchanging
    if (exchanging === null) {
      // Unrequested bytes: whatever the server sends next may not be the answer to the next request.
      this.#end('closed', '')
      return false
    }
    const { reader } = exchanging
    const inHead = reader.at === 'head'
    try {
      reader.feed(inbox, count)
    } catch (error) {
      exchanging.failed(error)
      return false
    }
    if (reader.at === 'head') return true
    if (reader.at !== 'body') {
      this.#end('over', '')
      return true
    }
    if (inHead) this.#deadline.set(this.#fetchDeadline, this.#clock.monotonic())
    return reader.ready(this.#resume)
  }

  /** Closes without notifying anybody. */
  close(): void {
    this.#exchanging = null
    this.lost = () => {}
    this.#deadline.cancel()
    this.#socket.destroy()
  }

  #ended(): void {
    const exchanging = this.#exchanging
    const reader = exchanging?.reader
    try {
      reader?.close()
    } catch (error) {
      exchanging?.failed(error)
      return
    }
    this.#end(reader?.at === 'complete' ? 'over' : 'closed', '')
  }

  /** Ends the exchange, or the idle connection. Only a complete response leaves the socket open. */
  #end(how: Ending, detail: string): void {
    const exchanging = this.#exchanging
    const { lost } = this
    this.#exchanging = null
    this.#deadline.clear()
    if (exchanging === null || how !== 'over' || !exchanging.reader.persistent) this.close()
    if (exchanging === null) lost()
    else exchanging.ended(how, detail)
  }
}
