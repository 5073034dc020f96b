/**
 * One open socket and the exchange on it. Bytes go from the socket to the response reader without a stream in
 * between: the socket reads into one buffer that is used again and again, and the reader copies what it
 * keeps.
 */
import type { Socket } from 'node:net'
import { type Clock, type Millis, READ_BYTES } from '../../../model/index.js'
import type { ResponseReader } from '../http/index.js'
import { LazyDeadline } from './lazy-deadline.js'
import type { Outbox } from './outbox.js'
import type { Pooled } from './site-slots.js'

/** How an exchange ended. `over`: the reader has all it wants, or knows what is wrong. */
export type Ending = 'over' | 'closed' | 'broken' | 'late'

/** Whoever waits for the response. */
export interface Exchanging {
  readonly reader: ResponseReader
  ended(how: Ending, detail: string): void
  /** The reader threw: a bug that this response brought to light. */
  failed(error: unknown): void
}

export interface SendLimits {
  readonly headersMs: Millis
  readonly fetchMs: Millis
}

/** On Unix a read fills the buffer and hands it over in one step, so all sockets can share one. */
const sharedInbox = Buffer.allocUnsafe(READ_BYTES)
const WINDOWS_INBOX_BYTES = 16 * 1024

/** Windows fills buffers in advance: there each socket needs its own. */
export function inboxForSocket(): Buffer {
  return process.platform === 'win32' ? Buffer.allocUnsafe(WINDOWS_INBOX_BYTES) : sharedInbox
}

export class Connection implements Pooled {
  readonly address: string
  readonly secure: boolean
  readonly connectMs: Millis
  /** Requests sent on it. */
  requests = 0
  /** Set by the owner: the connection ended while nobody used it. */
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

  /** `inbox[0..count)` arrived. False pauses the socket. */
  receive(inbox: Buffer, count: number): boolean {
    const exchanging = this.#exchanging
    if (exchanging === null) {
      // Nobody asked: what this server says next cannot be trusted to be an answer.
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

  /** Closes without telling anybody. */
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

  /**
   * The exchange is over, or the idle connection is. Only a response that ended well leaves the socket open.
   */
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
