/** The fetcher as the configuration wants it. */
import { PRODUCT_TOKEN } from '../cluster/agent/lane/index.js'
import { ConfigError, type CrawlConfig, type Source } from '../config/index.js'
import { fetchLimits, LIMITS, type Millis, VERSION } from '../model/index.js'
import { BodyBudget } from '../page/fetch/body/index.js'
import { CachingResolver, OriginResolver, StaticHosts } from '../page/fetch/dns/index.js'
import { type Fetcher, HttpFetcher, type HttpFetcherOptions } from '../page/fetch/index.js'
import { ArchiveReader, indexFile } from '../page/source/archive/index.js'
import { DirectoryReader } from '../page/source/directory/index.js'
import { SourceFetcher, SourceTable } from '../page/source/index.js'
import { LocalFetcher } from '../page/source/local/index.js'
import { systemClock as clock } from './system-clock.js'

export function userAgentOf(config: CrawlConfig): string {
  return config.userAgent ?? `${PRODUCT_TOKEN}/${VERSION}${config.contact ? ` (+${config.contact})` : ''}`
}

export interface FetcherPlace {
  /** The local address of connections. */
  readonly sourceAddress?: string | undefined
  /** A request that waited longer between check and write is not written. */
  readonly outboxMs?: Millis | undefined
  /** The folder with the indexes of archives. */
  readonly indexes?: string | undefined
}

export function openFetcher(config: CrawlConfig, place: FetcherPlace = {}): Fetcher {
  const { sourceAddress, outboxMs = LIMITS.outboxMs, indexes = '' } = place
  const options = httpOptions(config, sourceAddress, outboxMs)
  const table = new SourceTable(config.source)
  const server = new HttpFetcher(options)
  if (table.isEmpty) return server
  return new SourceFetcher({ table, server, open: source => openSource(source, options, indexes) })
}

type HttpOptions = HttpFetcherOptions & { readonly budget: BodyBudget }

function httpOptions(config: CrawlConfig, sourceAddress: string | undefined, outboxMs: Millis): HttpOptions {
  const hosts = StaticHosts.parse(config.resolve)
  if (typeof hosts === 'string') throw new ConfigError(`--resolve: ${hosts}`)
  return {
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
    budget: new BodyBudget(LIMITS.bodyBytesInFlight),
    limits: { ...deadlines(config), outboxMs },
  }
}

function openSource(source: Source, options: HttpOptions, indexes: string): Fetcher {
  const limits = fetchLimits(options.limits)
  const tools = { clock, limits, budget: options.budget }
  switch (source.kind) {
    case 'origin': {
      const resolver = new OriginResolver(source.origin, options.resolver)
      return new HttpFetcher({ ...options, resolver, secure: source.origin.startsWith('https:') })
    }
    case 'directory':
      return new LocalFetcher(new DirectoryReader(source.prefix, source.root, clock, limits), tools)
    case 'archive':
      return new LocalFetcher(new ArchiveReader(indexFile(indexes, source.pattern), clock, limits), tools)
  }
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
