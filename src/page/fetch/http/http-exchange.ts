import type { Exchange, Millis, Truncation } from '../../../model/index.js'
import type { ResponseHead } from './response-head.js'

/** An exchange before its Content-Encoding is undone. */
export interface ExchangeFacts
  extends Pick<Exchange, 'url' | 'startedAt' | 'fetchMs' | 'connectMs' | 'remoteAddress'>,
    Pick<HttpExchange, 'requestHead' | 'responseHead' | 'rawBody' | 'payload'> {
  readonly head: ResponseHead
  /** The body and its decoded form no longer count as in flight. */
  readonly settle: () => void
  /** Reuses the memory of the body for another response. */
  readonly recycle: () => void
}

export class HttpExchange implements Exchange {
  readonly url: string
  readonly startedAt: Millis
  readonly fetchMs: Millis
  readonly connectMs: Millis
  readonly remoteAddress: string
  readonly requestHead: Buffer
  readonly status: number
  readonly responseHead: Buffer
  readonly rawBody: Buffer
  readonly payload: Buffer
  readonly body: Buffer
  readonly truncated?: Truncation
  readonly #head: ResponseHead
  readonly #settle: () => void
  readonly #recycle: () => void

  constructor(facts: ExchangeFacts, body: Buffer, truncated: Truncation | undefined) {
    this.url = facts.url
    this.startedAt = facts.startedAt
    this.fetchMs = facts.fetchMs
    this.connectMs = facts.connectMs
    this.remoteAddress = facts.remoteAddress
    this.requestHead = facts.requestHead
    this.status = facts.head.status
    this.responseHead = facts.responseHead
    this.rawBody = facts.rawBody
    this.payload = facts.payload
    this.body = body
    if (truncated !== undefined) this.truncated = truncated
    this.#head = facts.head
    this.#settle = facts.settle
    this.#recycle = facts.recycle
  }

  header(name: string): string | undefined {
    return this.#head.header(name)
  }

  headerValues(name: string): readonly string[] {
    return this.#head.values(name)
  }

  settled(): void {
    this.#settle()
  }

  release(): void {
    this.#recycle()
  }
}
