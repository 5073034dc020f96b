/** One connection to the generated web, which answers requests one at a time and in order. */

import type { Socket } from 'node:net'
import type { Cancel, Millis } from '../../model/index.js'
import { INPUT_BYTES } from '../limits.js'
import { parseRequestHead, type RequestHead } from './request-head.js'

/** The reaction to a request: an answer after a delay, or a reset. */
export type Verdict =
  | {
      readonly does: 'answer'
      readonly delayMs: Millis
      readonly keepAlive: boolean
      /** Called when it is time to send, so that waiting answers take no memory. */
      bytes(): Buffer
      /**
       * Called when the bytes are with the kernel, or, with `whole` false, when the connection broke before.
       */
      ended(whole: boolean): void
    }
  | { readonly does: 'reset' }

/** What a connection needs of its server. */
export interface ConnectionHost {
  judge(request: RequestHead, connection: WebConnection): Verdict
  /** The response to something that is no request; then the connection ends. */
  refuse(status: 400 | 431): Buffer
  after(delayMs: Millis, task: () => void): Cancel
  monotonic(): Millis
  /** The socket still uses the bytes just sent: their memory must not be written again. */
  keepBytes(): void
}

const HEAD_BYTES = 16 * 1024

export class WebConnection {
  readonly #socket: Socket
  readonly #host: ConnectionHost
  #input = ''
  /** Set while a request is answered. */
  #ended: ((whole: boolean) => void) | undefined
  #cancel: Cancel | undefined
  /** Monotonic time of the last byte in or out. */
  lastMs: Millis

  constructor(socket: Socket, host: ConnectionHost) {
    this.#socket = socket
    this.#host = host
    this.lastMs = host.monotonic()
    socket.on('data', (chunk: Buffer) => this.#read(chunk))
    socket.on('close', () => this.#closed())
    // After a reset by the client, 'close' follows.
    socket.on('error', () => undefined)
  }

  get remoteAddress(): string {
    return this.#socket.remoteAddress ?? ''
  }

  get localAddress(): string {
    return this.#socket.localAddress ?? ''
  }

  destroy(): void {
    this.#socket.destroy()
  }

  #read(chunk: Buffer): void {
    if (this.#socket.writableEnded) return
    this.lastMs = this.#host.monotonic()
    const text = chunk.toString('latin1')
    this.#input = this.#input === '' ? text : this.#input + text
    if (this.#input.length > INPUT_BYTES) this.#socket.pause()
    this.#serve()
  }

  /** Takes the next request from the input, unless one is being answered. */
  #serve(): void {
    if (this.#ended !== undefined || this.#socket.writableEnded) return
    const end = this.#input.indexOf('\r\n\r\n')
    const tooLong = end > HEAD_BYTES || (end < 0 && this.#input.length > HEAD_BYTES)
    if (end < 0 && !tooLong) return
    const request = tooLong ? null : parseRequestHead(this.#input.slice(0, end))
    if (request === null) {
      this.#send(this.#host.refuse(tooLong ? 431 : 400), false)
      return
    }
    this.#input = this.#input.slice(end + 4)
    if (this.#socket.isPaused() && this.#input.length <= INPUT_BYTES) this.#socket.resume()
    this.#carryOut(this.#host.judge(request, this))
  }

  #carryOut(verdict: Verdict): void {
    if (verdict.does === 'reset') {
      this.#socket.resetAndDestroy()
      return
    }
    this.#ended = whole => verdict.ended(whole)
    if (verdict.delayMs <= 0) this.#send(verdict.bytes(), verdict.keepAlive)
    else {
      this.#cancel = this.#host.after(verdict.delayMs, () => this.#send(verdict.bytes(), verdict.keepAlive))
    }
  }

  #send(bytes: Buffer, keepAlive: boolean): void {
    if (keepAlive) this.#socket.write(bytes, error => this.#sent(error))
    else {
      this.#input = ''
      this.#socket.end(bytes, () => this.#sent(null))
    }
    if (this.#socket.writableLength > 0) this.#host.keepBytes()
  }

  #sent(error: Error | null | undefined): void {
    if (error) return
    this.#finish(true)
    this.#serve()
  }

  #finish(whole: boolean): void {
    const ended = this.#ended
    this.#ended = undefined
    this.lastMs = this.#host.monotonic()
    ended?.(whole)
  }

  #closed(): void {
    this.#cancel?.()
    this.#input = ''
    this.#finish(false)
  }
}
