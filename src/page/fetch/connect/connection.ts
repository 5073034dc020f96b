/**
 * One open socket and the exchange on it. There is no stream between the socket and the response reader: the
 * socket reads into a reused buffer, and the reader copies what it keeps.
 */

import type { Socket } from 'node:net'
import { type Clock, type Millis, READ_BYTES } from '../../../model/index.js'
import { WINDOWS_INBOX_BYTES } from '../../limits.js'
import type { ResponseReader } from '../http/index.js'
import { LazyDeadline } from './lazy-deadline.js'
import type { Outbox } from './outbox.js'
import type { Pooled } from './site-slots.js'

/** How an exchange ended. `over`: the reader is complete, has enough, or has found an error. */
export type Ending = 'over' | 'closed' | 'broken' | 'late'

/** Receives the end of an exchange. */
export interface ExchangeListener {
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
  #listener: ExchangeListener | null = null
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
  send(listener: ExchangeListener, head: Buffer, now: Millis, limits: SendLimits): void {
    const { headersMs, fetchMs } = limits
    this.requests++
    this.#listener = listener
    this.#fetchDeadline = now + fetchMs
    this.#deadline.set(now + Math.min(headersMs, fetchMs), now)
    this.#outbox.send(this.#socket, head)
  }

  /** Handles the received `inbox[0..count)`. False pauses the socket. */
  receive(inbox: Buffer, count: number): boolean {
    const listener = this.#listener
    if (listener === null) {
      // Unrequested bytes: whatever the server sends next may not be the answer to the next request.
      this.#end('closed', '')
      return false
    }
    const { reader } = listener
    const inHead = reader.at === 'head'
    try {
      reader.feed(inbox, count)
    } catch (error) {
      listener.failed(error)
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
    this.#listener = null
    this.lost = () => {}
    this.#deadline.cancel()
    this.#socket.destroy()
  }

  #ended(): void {
    const listener = this.#listener
    const reader = listener?.reader
    try {
      reader?.close()
    } catch (error) {
      listener?.failed(error)
      return
    }
    this.#end(reader?.at === 'complete' ? 'over' : 'closed', '')
  }

  /** Ends the exchange, or the idle connection. Only a complete response leaves the socket open. */
  #end(how: Ending, detail: string): void {
    const listener = this.#listener
    const { lost } = this
    this.#listener = null
    this.#deadline.clear()
    if (listener === null || how !== 'over' || !listener.reader.persistent) this.close()
    if (listener === null) lost()
    else listener.ended(how, detail)
  }
}
