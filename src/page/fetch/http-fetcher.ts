/**
 * HTTP/1.1 over our own sockets: 35 us of CPU per page instead of 75 and more with a general client, the
 * exact bytes for the archive, and limits that a general client lacks.
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
  /** In total; default: LIMITS.connections. */
  readonly connections?: number
  /** Default: one. */
  readonly connectionsPerSite?: number
  /** Allows private and reserved addresses. */
  readonly allowPrivate?: boolean
  /** Networks whose addresses are allowed even if they are private. */
  readonly allowNetworks?: readonly string[]
  /** The local address to connect from. */
  readonly localAddress?: string
  /** Whether connections use TLS; default: as the URL says. An origin that answers for a site may differ. */
  readonly secure?: boolean
  /** The memory of all bodies in flight, if other fetchers share it. */
  readonly budget?: BodyBudget
  /** PEM of additional trusted authorities. */
  readonly ca?: string
  readonly limits?: Partial<FetchLimits>
}

export class HttpFetcher implements Fetcher {
  readonly #tools: TransferTools
  #closed = false

  /** Throws if `headers` or `userAgent` are invalid. */
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
      budget: options.budget ?? new BodyBudget(limits.bodyBytesInFlight),
      secure: options.secure,
      decoder: new ContentDecoder(limits.stackedEncodings),
      aborts: new AbortWatch(),
    }
  }

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

  /** Ends fetches in flight with `RESET`, and closes sockets and timers. */
  async close(): Promise<void> {
    this.#closed = true
    this.#tools.pool.close()
    this.#tools.aborts.abortAll()
  }
}
