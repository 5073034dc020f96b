/** The fetcher of a host: every request goes to the owner's own server, whatever the URL says. */
import { PRODUCT_TOKEN } from '../cluster/agent/lane/index.js'
import { type StopSignal, VERSION } from '../model/index.js'
import type { Resolver } from '../page/fetch/dns/index.js'
import { type Fetcher, type FetchRequest, type FetchResult, HttpFetcher } from '../page/fetch/index.js'
import { systemClock as clock } from './system-clock.js'

/** `server`: address and port of the owner's server, which is asked over HTTP. */
export function openHostSource(server: { readonly address: string; readonly port: number }): Fetcher {
  const endpoint = { ...server, trusted: true }
  const resolver: Resolver = { resolve: async () => ({ ok: true, endpoints: [endpoint] }) }
  const userAgent = `${PRODUCT_TOKEN}/${VERSION} (tour at the source)`
  return new OneServerFetcher(new HttpFetcher({ clock, resolver, userAgent }))
}

/** Asks over HTTP for https URLs too: the TLS of the site ends before its server. */
class OneServerFetcher implements Fetcher {
  readonly #fetcher: Fetcher

  constructor(fetcher: Fetcher) {
    this.#fetcher = fetcher
  }

  async fetch(request: FetchRequest, signal: StopSignal): Promise<FetchResult> {
    const url = request.url.replace(/^https:/, 'http:')
    const result = await this.#fetcher.fetch({ ...request, url, address: undefined }, signal)
    if (!result.exchange) return result
    const exchange = { ...result.exchange, url: request.url }
    return result.ok ? { ok: true, exchange } : { ...result, exchange }
  }

  /** One attempt for each address would ask the same server again. */
  async resolve(): Promise<readonly string[]> {
    return []
  }

  setConnections(total: number, perSite: number): void {
    this.#fetcher.setConnections(total, perSite)
  }

  close(): Promise<void> {
    return this.#fetcher.close()
  }
}
