/**
 * One fetch: waits for a slot, connects if necessary, sends, and turns the outcome into one result. A request
 * on a connection that the server has just closed is sent once more on a new one.
 */
import {
  type Clock,
  type FetchLimits,
  type Millis,
  type OutcomeCode,
  Stop,
  type StopSignal,
  type Truncation,
} from '../../model/index.js'
import { hostOf, type Site, siteOf } from '../../model/url/index.js'
import type { Abortable, AbortWatch } from './abort-watch.js'
import type { BodyBudget, ContentDecoder, Cut, Decoded } from './body/index.js'
import type {
  Connection,
  Dialer,
  Ending,
  ExchangeListener,
  Slot,
  SlotPool,
  SlotWaiter,
} from './connect/index.js'
import type { FetchRequest, FetchResult } from './fetcher.js'
import {
  type BodyJudge,
  codingsOf,
  type ExchangeFacts,
  exchangeOf,
  type RequestHeads,
  type ResponseHead,
  ResponseReader,
  type Unwanted,
  unwantedBody,
} from './http/index.js'

/** Shared by all transfers. */
export interface TransferTools {
  readonly clock: Clock
  readonly limits: FetchLimits
  readonly pool: SlotPool<Connection>
  readonly dialer: Dialer
  readonly heads: RequestHeads
  readonly budget: BodyBudget
  readonly decoder: ContentDecoder
  readonly aborts: AbortWatch
  /** Whether to use TLS, whatever the URL says. */
  readonly secure: boolean | undefined
}

type Problem = { readonly code: OutcomeCode; readonly detail: string }
type At = 'waiting' | 'dialing' | 'talking' | 'decoding' | 'done'

const HTTPS_S = 0x73
const EMPTY = Buffer.alloc(0)
/** A body that ends early may have correct framing, so the cause is unknown. */
const TRUNCATIONS: Readonly<Record<Cut, Truncation>> = { limit: 'length', early: 'unspecified' }
const NO_BODY: Decoded = { ok: true, body: EMPTY, cut: null }

export class Transfer implements SlotWaiter<Connection>, ExchangeListener, BodyJudge, Abortable {
  readonly site: Site
  readonly secure: boolean
  readonly address: string | undefined
  readonly reader: ResponseReader
  ticket = 0
  readonly #tools: TransferTools
  readonly #request: FetchRequest
  readonly #signal: StopSignal
  readonly #resolve: (result: FetchResult) => void
  readonly #requestHead: Buffer
  readonly #maxBodyBytes: number
  #at: At = 'waiting'
  #slot: Slot<Connection> | null = null
  #dialing: Stop | null = null
  #unwanted: Unwanted | null = null
  #startedAt: Millis = 0
  #sentAt: Millis = 0

  constructor(
    tools: TransferTools,
    request: FetchRequest,
    signal: StopSignal,
    resolve: (result: FetchResult) => void,
  ) {
    const { limits } = tools
    this.site = siteOf(request.url)
    this.secure = tools.secure ?? request.url.charCodeAt(4) === HTTPS_S
    this.address = request.address
    this.#tools = tools
    this.#request = request
    this.#signal = signal
    this.#resolve = resolve
    this.#requestHead = tools.heads.build(request.url, request.known)
    this.#maxBodyBytes = request.bodyBytes ?? limits.bodyBytes
    this.reader = new ResponseReader(limits, tools.budget, this, this.#maxBodyBytes)
  }

  begin(): void {
    this.#tools.aborts.add(this.#signal, this)
    this.#tools.pool.acquire(this)
  }

  granted(slot: Slot<Connection>): void {
    this.#slot = slot
    if (slot.connection === null) void this.#dial(slot)
    else this.#send(slot.connection)
  }

  wantsBody(head: ResponseHead): boolean {
    this.#unwanted = unwantedBody(head, this.#request.types)
    return this.#unwanted === null
  }

  ended(how: Ending, detail: string): void {
    try {
      this.#ended(how, detail)
    } catch (error) {
      this.failed(error)
    }
  }

  /** Our own code threw on this response: only this request fails. */
  failed(error: unknown): void {
    this.#giveUp({ ok: false, code: 'INTERNAL_ERROR', detail: String(error), error })
  }

  #ended(how: Ending, detail: string): void {
    const slot = this.#slot
    const connection = slot?.connection
    if (slot === null || connection == null) return
    const { reader } = this
    if (this.#wasClosedByServer(how, connection)) {
      slot.connection = null
      void this.#dial(slot)
      return
    }
    const facts = reader.head === null ? null : this.#facts(connection, reader.head)
    this.#slot = null
    this.#tools.pool.release(slot, how === 'over' && reader.persistent ? connection : null)
    const problem = how === 'over' ? reader.failure : problemOf(how, detail, reader.head !== null)
    if (facts === null || reader.failure !== null) {
      this.#settle({ ok: false, ...(problem ?? { code: 'BAD_RESPONSE', detail: 'no response' }) })
    } else this.#deliver(facts, problem, truncationOf(how, reader.at === 'stopped'))
  }

  abort(): void {
    this.#giveUp({ ok: false, code: 'RESET', detail: 'given up' })
  }

  #giveUp(result: FetchResult): void {
    switch (this.#at) {
      case 'waiting':
        this.#tools.pool.cancel(this)
        break
      case 'dialing':
        this.#dialing?.abort()
        break
      case 'talking':
        this.#slot?.connection?.close()
        if (this.#slot !== null) this.#tools.pool.release(this.#slot, null)
        break
      case 'decoding':
        break
      case 'done':
        return
    }
    this.#settle(result)
  }

  async #dial(slot: Slot<Connection>): Promise<void> {
    this.#at = 'dialing'
    const dialing = new Stop()
    this.#dialing = dialing
    const host = hostOf(this.site)
    const written = this.site.slice(host.length + 1)
    const port = written === '' ? (this.secure ? 443 : 80) : Number(written)
    const target = { host, port, secure: this.secure, address: this.address }
    const dialed = await this.#tools.dialer.dial(target, dialing.signal)
    const { pool } = this.#tools
    if (!dialed.ok) {
      pool.release(slot, null)
      this.#settle(dialed)
    } else if (dialing.signal.aborted) {
      dialed.connection.close()
      pool.release(slot, null)
    } else {
      slot.connection = dialed.connection
      dialed.connection.lost = () => pool.lost(slot)
      this.#send(dialed.connection)
    }
  }

  #send(connection: Connection): void {
    const { clock, limits, pool } = this.#tools
    if (this.#request.mayBegin?.() === false) {
      if (this.#slot !== null) pool.release(this.#slot, connection)
      this.#settle({ ok: false, code: 'RESET', detail: 'given up' })
      return
    }
    this.#at = 'talking'
    this.#startedAt = clock.now()
    this.#sentAt = clock.monotonic()
    connection.send(this, this.#requestHead, this.#sentAt, limits)
  }

  /**
   * The usual race of keep-alive: the server closed the connection before it saw the request. The repetition
   * uses a new connection, so it cannot happen twice.
   */
  #wasClosedByServer(how: Ending, connection: Connection): boolean {
    if (how !== 'closed' && how !== 'broken') return false
    return connection.requests > 1 && !this.reader.started
  }

  #facts(connection: Connection, head: ResponseHead): ExchangeFacts {
    const { reader } = this
    const rawBody = reader.rawBody()
    return {
      url: this.#request.url,
      startedAt: this.#startedAt,
      fetchMs: this.#tools.clock.monotonic() - this.#sentAt,
      connectMs: connection.requests === 1 ? connection.connectMs : 0,
      remoteAddress: connection.address,
      requestHead: this.#requestHead,
      head,
      responseHead: this.reader.headBytes,
      rawBody,
      payload: reader.payloadOf(rawBody),
      settle: () => reader.release(),
      recycle: () => reader.recycle(),
    }
  }

  #deliver(facts: ExchangeFacts, problem: Problem | null, truncated: Truncation | undefined): void {
    const codings = this.#unwanted === null && facts.payload.length > 0 ? codingsOf(facts.head) : []
    if (codings.length > 0 && !this.reader.mayDecode(0, () => this.#deliver(facts, problem, truncated))) {
      this.#at = 'decoding'
      return
    }
    const decoded = this.#unwanted === null ? this.#decode(facts, codings) : NO_BODY
    if (decoded instanceof Promise) {
      this.#at = 'decoding'
      decoded.then(late => this.#conclude(facts, problem, truncated, late)).catch(error => this.failed(error))
    } else if (this.#unwanted === null) this.#conclude(facts, problem, truncated, decoded)
    else this.#conclude(facts, this.#unwanted, 'length', decoded)
  }

  #decode({ payload }: ExchangeFacts, codings: readonly string[]): Decoded | Promise<Decoded> {
    if (codings.length === 0) return { ok: true, body: payload, cut: null }
    const room = (): Promise<void> =>
      new Promise(resolve => {
        if (this.reader.mayDecode(this.#maxBodyBytes, resolve)) resolve()
      })
    return this.#tools.decoder.decode(payload, codings, this.#maxBodyBytes, room)
  }

  #conclude(
    facts: ExchangeFacts,
    problem: Problem | null,
    truncated: Truncation | undefined,
    decoded: Decoded,
  ): void {
    const body = decoded.ok ? decoded.body : EMPTY
    const cut = decoded.ok && decoded.cut !== null ? TRUNCATIONS[decoded.cut] : undefined
    if (this.#at !== 'done') this.reader.decoded(copiedBytes(facts, body))
    const exchange = exchangeOf(facts, body, truncated ?? cut)
    // A truncated body often cannot be decoded; the truncation is the cause to report.
    const trouble = problem ?? (decoded.ok ? null : { code: 'BAD_ENCODING' as const, detail: decoded.detail })
    this.#settle(trouble === null ? { ok: true, exchange } : { ok: false, ...trouble, exchange })
  }

  #settle(result: FetchResult): void {
    if (this.#at === 'done') return
    this.#at = 'done'
    if (!this.#request.holdsBody || result.exchange === undefined) this.reader.release()
    this.#tools.aborts.remove(this.#signal, this)
    this.#resolve(result)
  }
}

/** Memory in addition to the body as received. */
function copiedBytes({ rawBody, payload }: ExchangeFacts, body: Buffer): number {
  return (payload === rawBody ? 0 : payload.length) + (body === payload ? 0 : body.length)
}

function problemOf(how: Exclude<Ending, 'over'>, detail: string, hasHead: boolean): Problem {
  if (how === 'late') {
    return hasHead
      ? { code: 'BODY_TOO_SLOW', detail: 'the body did not end in time' }
      : { code: 'HEADERS_TOO_SLOW', detail: 'no response headers in time' }
  }
  const cause = detail === '' ? '' : ` (${detail})`
  return hasHead
    ? { code: 'BODY_CUT', detail: `the connection ended inside the body${cause}` }
    : { code: 'RESET', detail: `the connection ended before the response headers${cause}` }
}

function truncationOf(how: Ending, stopped: boolean): Truncation | undefined {
  if (how === 'late') return 'time'
  if (how !== 'over') return 'disconnect'
  return stopped ? 'length' : undefined
}
