/**
 * HTTP/1.1 over sockets of our own: 35 us of CPU a page where a general client takes 75 and more, the exact
 * bytes of the wire for the archive, and bounds that a general client does not have.
 */
import { type Clock, type FetchLimits, fetchLimits, type StopSignal } from '../../model/index.js'
import { AbortWatch } from './abort-watch.js'
import { BodyBudget, ContentDecoder } from './body/index.js'
import { addressGuard, type Connection, Dialer, SlotPool } from './connect/index.js'
import type { Resolver } from './dns/index.js'
import type { Fetcher, FetchRequest, FetchResult } from './fetcher.js'
import { RequestHeads } from './http/index.js'
import { Transfer, type TransferTools } from './transfer.js'

export interface HttpFetcherOptions {
  readonly clock: Clock
  readonly resolver: Resolver
  readonly userAgent: string
  /** Sent to every host; no credentials. */
  readonly headers?: Readonly<Record<string, string>>
  /** In all; LIMITS.connections when absent. */
  readonly connections?: number
  /** Per site; one when absent. */
  readonly connectionsPerSite?: number
  /** Lets requests go to private and reserved addresses, */
  readonly allowPrivate?: boolean
  /** or only to those of these networks. */
  readonly allowNetworks?: readonly string[]
  /** The address to call from. */
  readonly localAddress?: string
  /** PEM of authorities trusted besides the usual ones. */
  readonly ca?: string
  readonly limits?: Partial<FetchLimits>
}

export class HttpFetcher implements Fetcher {
  readonly #tools: TransferTools
  #closed = false

  /** Throws when `headers` or `userAgent` cannot be sent. */
  constructor(options: HttpFetcherOptions) {
    const { clock, connections, connectionsPerSite = 1, allowPrivate = false, allowNetworks = [] } = options
    const limits = fetchLimits(options.limits)
    this.#tools = {
      clock,
      limits,
      pool: new SlotPool<Connection>(
        clock,
        limits.idleConnectionMs,
        connections ?? limits.connections,
        connectionsPerSite,
      ),
      dialer: new Dialer({ ...options, limits, guard: addressGuard(allowPrivate, allowNetworks) }),
      heads: new RequestHeads(options.userAgent, options.headers),
      budget: new BodyBudget(limits.bodyBytesInFlight),
      decoder: new ContentDecoder(limits.stackedEncodings),
      aborts: new AbortWatch(),
    }
  }

  /** Connections open and idle among them. */
  get connections(): { readonly open: number; readonly idle: number } {
    const { open, idle } = this.#tools.pool
    return { open, idle }
  }

  fetch(request: FetchRequest, signal: StopSignal): Promise<FetchResult> {
    if (this.#closed || signal.aborted) {
      return Promise.resolve({ ok: false, code: 'RESET', detail: 'given up' })
    }
    return new Promise(resolve => {
      try {
        new Transfer(this.#tools, request, signal, resolve).begin()
      } catch (error) {
        resolve({ ok: false, code: 'INTERNAL_ERROR', detail: String(error), error })
      }
    })
  }

  async resolve(host: string): Promise<readonly string[]> {
    const found = await this.#tools.dialer.endpoints(host)
    return found.ok ? found.endpoints.map(endpoint => endpoint.address) : []
  }

  setConnections(total: number, perSite: number): void {
    if (!this.#closed) this.#tools.pool.setBounds(total, perSite)
  }

  /** What is under way ends as `RESET`; sockets and timers are gone afterwards. */
  async close(): Promise<void> {
    this.#closed = true
    this.#tools.pool.close()
    this.#tools.aborts.abortAll()
  }
}
