/** The fetcher as the configuration wants it. */
import { PRODUCT_TOKEN } from '../cluster/agent/lane/index.js'
import { ConfigError, type CrawlConfig } from '../config/index.js'
import { LIMITS, type Millis, VERSION } from '../model/index.js'
import { CachingResolver, StaticHosts } from '../page/fetch/dns/index.js'
import { type Fetcher, HttpFetcher, type HttpFetcherOptions } from '../page/fetch/index.js'
import { systemClock as clock } from './system-clock.js'

export function userAgentOf(config: CrawlConfig): string {
  return config.userAgent ?? `${PRODUCT_TOKEN}/${VERSION}${config.contact ? ` (+${config.contact})` : ''}`
}

/** `outboxMs`: a request that waited longer between check and write is not written. */
export function openFetcher(
  config: CrawlConfig,
  sourceAddress?: string,
  outboxMs: Millis = LIMITS.outboxMs,
): Fetcher {
  const hosts = StaticHosts.parse(config.resolve)
  if (typeof hosts === 'string') throw new ConfigError(`--resolve: ${hosts}`)
  return new HttpFetcher({
    clock,
    resolver: new CachingResolver({
      clock,
      hosts,
      ...(config.dns === undefined ? {} : { server: config.dns }),
    }),
    userAgent: userAgentOf(config),
    connections: config.connections,
    connectionsPerSite: config.connectionsPerSite,
    allowPrivate: config.allowPrivate,
    allowNetworks: config.allowNetwork,
    ...(sourceAddress === undefined ? {} : { localAddress: sourceAddress }),
    limits: { ...deadlines(config), outboxMs },
  })
}

/** A short fetch timeout also shortens the time limits of the single steps of a fetch. */
function deadlines(config: CrawlConfig): NonNullable<HttpFetcherOptions['limits']> {
  const fetchMs = config.fetchTimeout * 1_000
  return {
    fetchMs,
    headersMs: Math.min(LIMITS.headersMs, fetchMs),
    connectMs: Math.min(LIMITS.connectMs, fetchMs),
    bodyBytes: config.maxBody,
  }
}
