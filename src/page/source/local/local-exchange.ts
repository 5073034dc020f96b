/** The exchange of a response that was read from a disk. */
import type { Exchange, LocalMedium, Millis, Truncation } from '../../../model/index.js'
import type { ResponseHead } from '../../fetch/http/index.js'

/** What a source read. */
interface LocalResponse {
  readonly url: string
  readonly startedAt: Millis
  readonly fetchMs: Millis
  readonly head: ResponseHead
  /** Empty unless the source holds one. */
  readonly responseHead: Buffer
  readonly remoteAddress: string
  /** With chunk framing, if the source has kept it. */
  readonly rawBody: Buffer
  readonly payload: Buffer
  readonly body: Buffer
  readonly truncated: Truncation | undefined
  /** Undefined for a recorded HTTP response. */
  readonly medium: LocalMedium | undefined
}

const NO_REQUEST = Buffer.alloc(0)

export class LocalExchange implements Exchange {
  readonly url: string
  readonly startedAt: Millis
  readonly fetchMs: Millis
  readonly connectMs = 0
  readonly remoteAddress: string
  readonly requestHead = NO_REQUEST
  readonly status: number
  readonly responseHead: Buffer
  readonly rawBody: Buffer
  readonly payload: Buffer
  readonly body: Buffer
  readonly truncated?: Truncation
  readonly medium?: LocalMedium
  readonly #head: ResponseHead
  readonly #settle: () => void

  constructor(read: LocalResponse, settle: () => void) {
    this.url = read.url
    this.startedAt = read.startedAt
    this.fetchMs = read.fetchMs
    this.remoteAddress = read.remoteAddress
    this.status = read.head.status
    this.responseHead = read.responseHead
    this.rawBody = read.rawBody
    this.payload = read.payload
    this.body = read.body
    if (read.truncated !== undefined) this.truncated = read.truncated
    if (read.medium !== undefined) this.medium = read.medium
    this.#head = read.head
    this.#settle = settle
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
}
