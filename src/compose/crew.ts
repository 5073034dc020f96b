/** Picks the implementations and joins them to one agent: who fetches, who keeps pace, who stores, who tells. */
import { setMaxListeners } from 'node:events'
import { join } from 'node:path'
import {
  Admission,
  Agent,
  Counters,
  type Hooks,
  Lane,
  LaneCount,
  LaneManners,
  type LaneSettings,
  LEASE_MS,
  PageBudget,
  Qualifier,
  Router,
  SentLinks,
  Settler,
  SiteDesk,
  SitemapDesk,
  Transmitter,
  Turns,
} from '../agent/index.js'
import { HeadOfS } from '../assign/index.js'
import type { Heartbeat, Incarnation, Ledger } from '../cluster/index.js'
import { ConfigError, type CrawlConfig } from '../config/index.js'
import {
  CachingResolver,
  type Fetcher,
  HttpFetcher,
  type HttpFetcherOptions,
  StaticHosts,
} from '../fetch/index.js'
import { CellFrontier, FrontierSpace, type HostNames, type Scope, SiteTraps } from '../frontier/index.js'
import { delayAfter, NO_PAGE_RULES, type PageRules, pageRules, RateLimit } from '../manners/index.js'
import { siteOfCell } from '../model/cell.js'
import { sleep } from '../model/clock.js'
import { LIMITS } from '../model/limits.js'
import type { Exchange } from '../model/page.js'
import { uuid } from '../model/random.js'
import { readTraps } from '../model/trap.js'
import { VERSION } from '../model/version.js'
import {
  DirectoryPackStore,
  PackBuilder,
  type PackStore,
  parseArchiveFormat,
  warcInfo,
  warcRecords,
} from '../store/index.js'
import type { DiskGuard } from './disk-guard.js'
import type { Log } from './log.js'
import type { StoreWorker } from './store-worker.js'
import { systemClock as clock, systemRandom as random } from './system.js'

const AGENT_NAME = 'agent-1'
const PAUSE_LOOK_MS = 250
const PRODUCT_TOKEN = 'orbweaver'

export interface CrewInput {
  readonly directory: string
  readonly name: string
  readonly config: CrawlConfig
  readonly hooks: Hooks
  readonly ledger: Ledger
  readonly incarnation: Incarnation
  readonly scope: Scope
  readonly disk: DiskGuard
  readonly worker: StoreWorker
  readonly log: Log
  /** There is meta-info of a previous crawl in the ledger. */
  readonly recrawl: boolean
  /** The hosts that the crawl knows. */
  readonly hosts: HostNames
  /** Why nothing is being fetched. */
  readonly waitingFor: () => string
  readonly onHeartbeat: (beat: Heartbeat) => void
}

export interface Crew {
  readonly agent: Agent
  readonly counters: Counters
  readonly transmitter: Transmitter
  readonly fetcher: Fetcher
  readonly store: PackStore
  readonly space: FrontierSpace
  readonly rate: RateLimit
  readonly turns: Turns
  readonly settings: LaneSettings
}

function userAgentOf(config: CrawlConfig): string {
  return config.userAgent ?? `${PRODUCT_TOKEN}/${VERSION}${config.contact ? ` (+${config.contact})` : ''}`
}

export function openFetcher(config: CrawlConfig): Fetcher {
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
    limits: deadlines(config),
  })
}

/** A user in a hurry is in a hurry at every step of a fetch. */
function deadlines(config: CrawlConfig): NonNullable<HttpFetcherOptions['limits']> {
  const fetchMs = config.fetchTimeout * 1_000
  return {
    fetchMs,
    headersMs: Math.min(LIMITS.headersMs, fetchMs),
    connectMs: Math.min(LIMITS.connectMs, fetchMs),
    bodyBytes: config.maxBody,
  }
}

export function assembleCrew(input: CrewInput): Crew {
  const { config, ledger, incarnation, hooks, scope, directory, log } = input
  const counters = new Counters()
  const fetcher = openFetcher(config)
  const stopping = new AbortController()
  // A listener for every site that waits: Node would call a dozen of them a leak.
  setMaxListeners(0, stopping.signal)
  const settings: LaneSettings = {
    delay: config.delay,
    maxCrawlDelayMs: config.maxCrawlDelay * 1000,
    connectionsPerSite: config.connectionsPerSite,
    paused: false,
  }
  const sent = new SentLinks()
  const { store, newBuilder, archives } = openStore(input)
  const transmitter: Transmitter = new Transmitter({
    clock,
    random,
    ledger,
    store,
    incarnation,
    grouping: config.group,
    sent,
    counters,
    newBuilder,
    onCommitted: (sites, targets) => agent.committed(sites, targets),
    onLost: sites => {
      log.warn('cells lost', { cells: sites.map(site => site.cell) })
      agent.lost(sites)
    },
    onDiskTrouble: detail => input.disk.refused(detail),
    onFailure: error => agent.fail(error),
  })
  const tables = config.tables !== 'none'
  const linkRows = tables ? config.links : 'none'
  const traps = readTraps(config.traps) ?? new Set()
  const hosts = traps.has('subdomains') ? input.hosts : null
  const admission: Admission = new Admission((site, entry, code, detail) =>
    settler.refuse(site, entry, code, detail),
  )
  const dropsSessionIds = traps.has('session-ids')
  const router = new Router({
    assets: config.assets,
    obeysNofollow: config.robots !== 'ignore',
    scope,
    hooks,
    sent,
    linkRows,
    admission,
    hosts,
    dropsSessionIds,
  })
  const sitemaps = new SitemapDesk({
    scope,
    router,
    pack: () => transmitter.pack,
    fromRobots: readsRobotsSitemaps(config),
  })
  const settler: Settler = new Settler({
    clock,
    random,
    counters,
    hooks,
    router,
    sitemaps,
    hosts,
    unlikelyName: () => uuid(random),
    pack: () => transmitter.pack,
    pageRules: (page, exchange) => rulesOfPage(config.robots, page, exchange),
    assets: config.assets,
    sent: linkRows === 'none' ? sent : null,
    wantAllLinks: linkRows === 'all' || hooks.onPage !== undefined,
    wantText: tables || hooks.onPage !== undefined,
    archive: archives,
    keepsRows: archives || tables,
    maxWaitMs: config.maxWait * 1000,
    maxTries: config.tries ?? Number.POSITIVE_INFINITY,
    onSeedRedirect: target => widen(scope, ledger, target, log),
  })
  const space = new FrontierSpace({
    folder: join(directory, 'frontier'),
    seenBytes: LIMITS.seenBytes,
    queueBytes: LIMITS.queueBytes,
    salt: Math.floor(random.next() * 2 ** 32),
  })
  const maxDepth = config.maxDepth ?? Number.POSITIVE_INFINITY
  const rate = new RateLimit(clock)
  const budget = new PageBudget(ledger, incarnation)
  const leastDelayMs = () => delayAfter(settings.delay, 0)
  const laneCount = new LaneCount()
  const turns = new Turns({
    clock,
    ledger,
    incarnation,
    grouping: config.group,
    resolve: host => fetcher.resolve(host),
    leastDelayMs,
    connectionsPerSite: () => settings.connectionsPerSite,
    leaseMs: LEASE_MS,
    signal: stopping.signal,
    onFailure: error => agent.fail(error),
  })
  const unlessPaused = async (signal: AbortSignal): Promise<void> => {
    while (settings.paused && !signal.aborted) await sleep(clock, PAUSE_LOOK_MS, signal)
  }
  const manners = new LaneManners({
    clock,
    rate,
    settings,
    maxWaitMs: config.maxWait * 1000,
    unlessPaused,
    lendsLane: () => agent.lendsLane(),
    signal: stopping.signal,
  })
  const qualifier = new Qualifier({
    clock,
    fetcher,
    manners,
    turns,
    mode: config.robots,
    maxWaitMs: config.maxWait * 1000,
    archiveRobots: (site, exchanges) => {
      for (const exchange of exchanges) transmitter.pack.addRobots(site, exchange)
    },
    log: (event, fields) => log.warn(event, fields),
    signal: stopping.signal,
  })
  const desk = new SiteDesk({
    clock,
    ledger,
    space,
    turns,
    lanes: laneCount,
    robots: {
      mode: config.robots,
      productToken: PRODUCT_TOKEN,
      retryMs: config.robotsRetry * 1000,
      maxFailures: config.robotsFailures,
      maxTries: config.tries ?? Number.POSITIVE_INFINITY,
      recheckMs: config.robotsRecheck * 1000,
      runStartedAt: clock.now(),
    },
    newFrontier: () => new CellFrontier(space, { maxDepth }),
    newTraps: known => new SiteTraps({ rules: traps, maxPages: config.maxPagesPerSite, clock, known }),
  })
  const agent: Agent = new Agent({
    name: AGENT_NAME,
    clock,
    ledger,
    incarnation,
    assignment: new HeadOfS(),
    desk,
    lane: new Lane({
      clock,
      fetcher,
      settler,
      qualifier,
      transmitter,
      budget,
      manners,
      counters,
      settings,
      maxDepth,
      types: config.types,
      metaOf: input.recrawl ? async (site, url) => (await ledger.loadMeta(site.cell, [url])).get(url) : null,
      offerSitemaps: site => sitemaps.offer(site),
      isBlacklisted: site => scope.isBlacklisted(siteOfCell(site.cell)),
      unlessPaused,
      endsSlice: site => agent.endsSlice(site),
      recycles: hooks.onPage === undefined,
      signal: stopping.signal,
    }),
    transmitter,
    admission,
    budget,
    counters,
    lanes: config.lanes,
    laneCount,
    leastDelayMs,
    maxWaitMs: config.maxWait * 1000,
    stopping,
    waitingFor: input.waitingFor,
    onHeartbeat: input.onHeartbeat,
  })
  return { agent, counters, transmitter, fetcher, store, space, rate, turns, settings }
}

/** A limit on depth means links, and one page is one page: there sitemaps are read only when asked for. */
function readsRobotsSitemaps({ sitemap, maxDepth, scope }: CrawlConfig): boolean {
  if (sitemap.includes('none') || scope === 'page') return false
  return sitemap.includes('robots') || maxDepth === undefined
}

function openStore(input: CrewInput): { store: PackStore; newBuilder: () => PackBuilder; archives: boolean } {
  const { config, directory, name, incarnation, worker } = input
  const choice = parseArchiveFormat(config.archive)
  if (!choice.ok) throw new ConfigError(choice.message)
  const records = warcRecords(choice.format, random)
  const store = new DirectoryPackStore({
    directory,
    owner: { crawl: name, incarnation },
    clock,
    records,
    info: warcInfo({
      software: `orbweaver/${VERSION}`,
      robots: config.robots,
      userAgent: userAgentOf(config),
      extra: { isPartOf: name },
    }),
    sortIndex: task => worker.sortIndex(task),
  })
  const options = { agent: AGENT_NAME, records, tables: config.tables !== 'none' }
  return { store, newBuilder: () => new PackBuilder(options), archives: records !== null }
}

function rulesOfPage(mode: CrawlConfig['robots'], robots: string, exchange: Exchange): PageRules {
  const header = mode === 'ignore' ? undefined : exchange.header('x-robots-tag')
  if (mode === 'ignore' || (header === undefined && robots === '')) return NO_PAGE_RULES
  const headers = header === undefined ? [] : (exchange.headerValues?.('x-robots-tag') ?? [header])
  return pageRules(robots, headers, PRODUCT_TOKEN, clock.now())
}

/** Scope that was widened by a redirect outlives the process. */
function widen(scope: Scope, ledger: Ledger, target: string, log: Log): void {
  if (scope.accepts(target)) return
  scope.widenTo(target)
  log.info('a seed redirects; its target joins the scope', { target })
  void ledger.settings().then(settings => {
    const known = widenedScope(settings)
    return ledger.set({ 'scope.widened': JSON.stringify([...known, target]) })
  })
}

export function widenedScope(settings: Readonly<Record<string, string>>): string[] {
  return settings['scope.widened'] === undefined ? [] : (JSON.parse(settings['scope.widened']) as string[])
}
