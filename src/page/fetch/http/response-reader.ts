/**
 * Reads one response from bytes that arrive in any pieces: interim heads, head, framing, body. Independent of
 * sockets. Strict about framing, where an error would mix up two pages, and tolerant otherwise.
 */

import type { FetchLimits } from '../../../model/index.js'
import { type BodyBudget, BodyBuffer } from '../body/index.js'
import { ChunkScanner, dechunk } from './chunk-scanner.js'
import { bodyFraming, type Framing, isPersistent } from './framing.js'
import { type HeadFailure, headEnd, parseHead, type ResponseHead } from './response-head.js'

/** Decides by the head whether the body is wanted. */
export interface BodyJudge {
  wantsBody(head: ResponseHead): boolean
}

/** `stopped`: the response was valid, but its body was not taken, or not completely. */
type At = 'head' | 'body' | 'complete' | 'stopped' | 'failed'

const EMPTY = Buffer.alloc(0)
const LF = 0x0a
const CR = 0x0d
const STATUS_LINE_START = Buffer.from('HTTP/1.')

export class ResponseReader {
  at: At = 'head'
  head: ResponseHead | null = null
  headBytes = EMPTY
  failure: HeadFailure | null = null
  /** Whether the server keeps the connection for another request. */
  persistent = false
  /** True after the first byte of a response. */
  started = false
  readonly #limits: FetchLimits
  readonly #budget: BodyBudget
  readonly #judge: BodyJudge
  readonly #maxBodyBytes: number
  #partial = EMPTY
  #partialBytes = 0
  #interim = 0
  #blankBytes = 0
  #framing: Framing = { by: 'close' }
  #body: BodyBuffer | null = null
  #chunks: ChunkScanner | null = null

  constructor(limits: FetchLimits, budget: BodyBudget, judge: BodyJudge, maxBodyBytes: number) {
    this.#limits = limits
    this.#budget = budget
    this.#judge = judge
    this.#maxBodyBytes = maxBodyBytes
  }

  /** Takes `bytes[0..to)`; the caller may reuse the buffer afterwards. */
  feed(bytes: Buffer, to: number): void {
    this.started = true
    let from = 0
    while (this.at === 'head' && from < to) from = this.#feedHead(bytes, from, to)
    if (this.at === 'body') from = this.#feedBody(bytes, from, to)
    // Bytes after the end of the response: the connection is not reused.
    if (from < to) this.persistent = false
  }

  /** The server closed its side normally. */
  close(): void {
    this.persistent = false
    if (this.at === 'body' && this.#framing.by === 'close') this.at = 'complete'
  }

  /** False if memory is short: pause reading until `resume`. */
  ready(resume: () => void): boolean {
    return this.at !== 'body' || this.#body === null || this.#body.ready(resume)
  }

  /** Everything after the head, as received. */
  rawBody(): Buffer {
    return this.#body === null ? EMPTY : this.#body.bytes()
  }

  /** `raw` without chunked framing. */
  payloadOf(raw: Buffer): Buffer {
    return this.#chunks === null || this.#body === null ? raw : dechunk(raw, this.#chunks)
  }

  /** False if memory is short: decode when `resume` is called. */
  mayDecode(bytes: number, resume: () => void): boolean {
    return this.#body === null || this.#body.mayDecode(bytes, resume)
  }

  decoded(bytes: number): void {
    this.#body?.decoded(bytes)
  }

  release(): void {
    this.#body?.release()
  }

  recycle(): void {
    this.#body?.recycle()
    this.#body = null
  }

  #feedHead(bytes: Buffer, from: number, to: number): number {
    if (this.#partialBytes === 0) {
      if (this.#isBlank(bytes[from]!)) return from + 1
      const end = headEnd(bytes, from, to)
      if (end >= 0 && end - from <= this.#limits.headerBytes) {
        this.#takeHead(bytes, from, end, to)
        return end
      }
    }
    return this.#feedPartialHead(bytes, from, to)
  }

  /** Some servers send an extra empty line after a body, which then precedes the next response. */
  #isBlank(byte: number): boolean {
    return (byte === CR || byte === LF) && this.#blankBytes++ < this.#limits.blankBytes
  }

  /** Keeps an incomplete head, and continues the search where it stopped. */
  #feedPartialHead(bytes: Buffer, from: number, to: number): number {
    const { headerBytes } = this.#limits
    const old = this.#partialBytes
    const total = Math.min(old + to - from, headerBytes)
    this.#keepPartial(bytes, from, total)
    const end = headEnd(this.#partial, Math.max(0, old - 3), total)
    if (end >= 0) {
      const head = this.#partial
      const next = from + end - old
      this.#partial = EMPTY
      this.#partialBytes = 0
      this.#takeHead(head, 0, end, end + to - next)
      return next
    }
    const compared = Math.min(total, STATUS_LINE_START.length)
    if (this.#partial.compare(STATUS_LINE_START, 0, compared, 0, compared) !== 0) {
      const said = JSON.stringify(this.#partial.toString('latin1', 0, Math.min(total, 40)))
      this.#fail({ code: 'BAD_RESPONSE', detail: `not a status line: ${said}` })
    } else if (total === headerBytes) {
      this.#fail({ code: 'HEADERS_TOO_LARGE', detail: `response headers longer than ${headerBytes} bytes` })
    }
    return to
  }

  #keepPartial(bytes: Buffer, from: number, total: number): void {
    if (total > this.#partial.length) {
      const larger = Buffer.allocUnsafe(Math.max(total, 1024, this.#partial.length * 2))
      this.#partial.copy(larger, 0, 0, this.#partialBytes)
      this.#partial = larger
    }
    bytes.copy(this.#partial, this.#partialBytes, from, from + total - this.#partialBytes)
    this.#partialBytes = total
  }

  /** `to - end` bytes of the body have already arrived. */
  #takeHead(bytes: Buffer, from: number, end: number, to: number): void {
    const head = parseHead(bytes.toString('latin1', from, end), this.#limits.headerCount)
    if ('code' in head) this.#fail(head)
    else if (head.status < 200) this.#skipInterim(head.status)
    else {
      const framing = bodyFraming(head)
      if ('code' in framing) this.#fail(framing)
      else {
        this.headBytes = Buffer.from(bytes.subarray(from, end))
        this.#begin(head, framing, to - end)
      }
    }
  }

  #begin(head: ResponseHead, framing: Framing, arrivedBytes: number): void {
    this.head = head
    this.#framing = framing
    this.persistent = isPersistent(head, framing)
    this.at = 'body'
    if (framing.by === 'none' || (framing.by === 'length' && framing.bytes === 0)) this.at = 'complete'
    else if (!this.#judge.wantsBody(head)) this.#skipBody(arrivedBytes)
    else this.#openBody()
  }

  #skipInterim(status: number): void {
    if (status === 101 || ++this.#interim > this.#limits.interimResponses) {
      this.#fail({ code: 'BAD_RESPONSE', detail: `unexpected status ${status}` })
    }
  }

  /** An unwanted body costs the connection, unless it has arrived completely. */
  #skipBody(arrivedBytes: number): void {
    if (this.#framing.by !== 'length' || this.#framing.bytes !== arrivedBytes) this.#stop()
  }

  #openBody(): void {
    const framing = this.#framing
    const maxBytes =
      framing.by === 'length' ? Math.min(framing.bytes, this.#maxBodyBytes) : this.#maxBodyBytes
    this.#body = new BodyBuffer(this.#budget, maxBytes, framing.by === 'length')
    if (framing.by === 'chunked') {
      this.#chunks = new ChunkScanner(this.#limits.chunkLineBytes, this.#limits.headerBytes)
    }
  }

  /** Returns the end of the response in `bytes`, or where reading stopped. */
  #feedBody(bytes: Buffer, from: number, to: number): number {
    const body = this.#body
    if (body === null) {
      this.at = 'complete'
      return to
    }
    const stop = Math.min(to, from + body.roomBytes)
    const end = this.#chunks === null ? stop : this.#chunks.feed(bytes, from, stop)
    const done = this.#endsAt(body.length + end - from)
    body.append(bytes, from, end, done)
    if (this.#chunks?.at === 'bad') this.#fail({ code: 'BAD_RESPONSE', detail: this.#chunks.fault })
    else if (done) this.at = 'complete'
    else if (end < to || (this.#framing.by === 'length' && body.roomBytes === 0)) this.#stop()
    return end
  }

  #endsAt(bodyBytes: number): boolean {
    return this.#framing.by === 'length' ? bodyBytes === this.#framing.bytes : this.#chunks?.at === 'done'
  }

  /** The rest of the body is not taken. */
  #stop(): void {
    this.persistent = false
    this.at = 'stopped'
  }

  #fail(failure: HeadFailure): void {
    this.failure = failure
    this.at = 'failed'
  }
}
