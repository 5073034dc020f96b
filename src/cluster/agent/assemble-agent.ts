/**
 * Joins the parts of one agent: who fetches, who keeps pace, who packs, who tells. Every port and setting
 * comes in as an argument, so the same agent runs on a real machine, in a thread of it, and in the simulator.
 */

import type { CrawlConfig } from '../../config/index.js'
import type { PackStore } from '../../data/store/index.js'
import {
  type Exchange,
  LIMITS,
  type Millis,
  SplitCells,
  Stop,
  type StopSignal,
  siteOfCell,
  sleep,
} from '../../model/index.js'
import type { Fetcher } from '../../page/fetch/index.js'
import { CellFrontier, type FrontierSpace } from '../../page/frontier/index.js'
import { SiteTraps } from '../../page/frontier/traps/index.js'
import {
  delayAfter,
  LeasedFetcher,
  LeaseMargin,
  PhaseGates,
  RateLimit,
  Turns,
} from '../../page/politeness/index.js'
import { ShardMap } from '../../page/politeness/phases/index.js'
import { Agent } from './agent.js'
import type { AgentInput } from './agent-input.js'
import { joinLinks } from './assemble-links.js'
import { RouteClaimer, ShardClaimer, SiteOpener, SiteSplitter } from './cells/index.js'
import { LEASE_MS } from './heartbeat/index.js'
import { Lane, LanePoliteness, type LaneSettings, PRODUCT_TOKEN, Qualifier } from './lane/index.js'
import { MessageCount, type OpenPack, PageBudget, SentLinks, Transmitter } from './pack/index.js'
import { Counters, LaneCount, type PageFaults, type SiteCrawl } from './site/index.js'

const PAUSE_LOOK_MS = 250

export interface AssembledAgent {
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

export function assembleAgent(input: AgentInput): AssembledAgent {
  const { name, clock, ledger, incarnation, config, store, space, scope } = input
  const stopping = new Stop()
  const { signal } = stopping
  const leaseMs = input.leaseMs ?? LEASE_MS
  const leaseMargin = new LeaseMargin(clock, leaseMs, signal)
  const fetcher = new LeasedFetcher(input.fetcher, leaseMargin)
  const counters = new Counters()
  const settings = laneSettings(config)
  const sent = new SentLinks(Math.floor(input.random.next() * 2 ** 32))
  const phases = phasesOf(input, leaseMargin, leaseMs, error => agent.fail(error))
  const cells = phases === null ? (input.cells ?? new SplitCells()) : new ShardMap(phases.plan)
  const budget = new PageBudget(ledger, incarnation)
  const maxWaitMs = config.maxWait * 1000
  const maxDepth = config.maxDepth ?? Number.POSITIVE_INFINITY
  const transmitter: Transmitter = new Transmitter({
    clock,
    random: input.random,
    ledger,
    store,
    incarnation,
    newBuilder: input.newBuilder,
    linkBytes: input.linkBytes ?? LIMITS.linkBytes,
    onDiskTrouble: input.onDiskTrouble,
    grouping: config.group,
    cells,
    sent,
    messageCount: new MessageCount(name, ledger, space.seen),
    budget,
    counters,
    onCommitted: (sites, targets) => agent.committed(sites, targets),
    onLost: sites => {
      input.log('cells lost', { cells: sites.map(site => site.cell) })
      agent.lost(sites)
    },
    onFailure: error => agent.fail(error),
    stopping: signal,
  })
  const links = joinLinks(input, () => transmitter.pack, sent, cells, counters)
  const { responseHandler, admission, sitemaps, faults, traps } = links
  const rate = new RateLimit(clock)
  const leastDelayMs = () => delayAfter(settings.delay, 0)
  const laneCount = new LaneCount(config.lanes)
  const turns = new Turns({
    clock,
    ledger,
    incarnation,
    grouping: config.group,
    resolve: host => fetcher.resolve(host),
    leastDelayMs,
    connectionsPerSite: () => settings.connectionsPerSite,
    leaseMs,
    signal,
    onFailure: error => agent.fail(error),
    phases,
  })
  const unlessPaused = async (until: StopSignal): Promise<void> => {
    while (settings.paused && !until.aborted) await sleep(clock, PAUSE_LOOK_MS, until)
  }
  const politeness = new LanePoliteness({
    clock,
    rate,
    settings,
    leaseMargin,
    maxWaitMs,
    unlessPaused,
    lendsLane: () => agent.lendsLane(),
    signal,
  })
  const qualifier = new Qualifier({
    clock,
    fetcher,
    politeness,
    turns,
    leaseMargin,
    phases,
    mode: config.robots,
    maxWaitMs,
    announce: groups => input.bus.send({ kind: 'turn-request', groups }),
    archiveRobots: async (site, exchanges) => {
      while (!transmitter.hasRoom() && !signal.aborted) await transmitter.shipped()
      if (site.lost || signal.aborted) return
      for (const exchange of exchanges) archiveRobots(transmitter.pack, site, exchange, faults)
    },
    log: input.log,
    signal,
  })
  const siteOpener = new SiteOpener({
    clock,
    ledger,
    space,
    turns,
    cells,
    lanes: laneCount,
    faults,
    robots: originRobotsSettings(input),
    newFrontier: () => new CellFrontier(space, { maxDepth, order: config.order }),
    newTraps: known =>
      new SiteTraps({
        rules: traps,
        maxPages: Math.ceil(config.maxPagesPerSite / (phases?.plan.nodes ?? 1)),
        clock,
        known,
      }),
  })
  const splitter = new SiteSplitter({
    clock,
    ledger,
    bus: input.bus,
    cells,
    mostUrls: mostUrls(config),
    log: input.log,
  })
  const lane = new Lane({
    clock,
    fetcher,
    responseHandler,
    qualifier,
    transmitter,
    budget,
    politeness,
    leaseMargin,
    counters,
    settings,
    maxDepth,
    types: config.types,
    sitemapBytes: config.maxBody < LIMITS.bodyBytes ? config.maxBody : LIMITS.sitemapBytes,
    metaOf: input.recrawl ? async (site, url) => (await ledger.loadMeta(site.cell, [url])).get(url) : null,
    offerSitemaps: site => sitemaps.offer(site),
    isBlacklisted: site => scope.isBlacklisted(siteOfCell(site.cell)),
    unlessPaused,
    endsSlice: site => agent.endsSlice(site),
    recycles: input.hooks.onPage === undefined,
    signal,
  })
  const agent: Agent = new Agent({
    clock,
    ledger,
    incarnation,
    bus: input.bus,
    leaseMargin,
    leaseMs,
    slices: config.slices === 'on',
    capacity: input.capacity ?? (() => ({ lanes: config.lanes, capacity: 1, load: null })),
    siteOpener,
    lane,
    transmitter,
    splitter,
    admission,
    budget,
    counters,
    lanes: config.lanes,
    laneCount,
    maxWaitMs,
    stopping,
    waitingFor: input.waitingFor,
    onHeartbeat: input.onHeartbeat,
    routes: routesOf(input, leaseMs, leastDelayMs),
    shards: phases && {
      gates: phases,
      claimer: new ShardClaimer({
        clock,
        ledger,
        incarnation,
        leaseMs,
        leastDelayMs,
        shards: phases.plan.nodes,
      }),
    },
  })
  return { agent, counters, transmitter, fetcher, store, space, rate, turns, settings }
}

function phasesOf(
  { phases, clock, ledger, config }: AgentInput,
  leaseMargin: LeaseMargin,
  leaseMs: number,
  onFailure: (error: Error) => void,
): PhaseGates | null {
  if (!phases) return null
  return new PhaseGates({ ...phases, clock, ledger, leaseMargin, leaseMs, grouping: config.group, onFailure })
}

function routesOf(
  { name, incarnation, clock, ledger, bus, config, loadRoutes }: AgentInput,
  leaseMs: Millis,
  leastDelayMs: () => Millis,
): RouteClaimer | null {
  if (!loadRoutes) return null
  const { assign: assignment } = config
  return new RouteClaimer({
    clock,
    ledger,
    bus,
    name,
    incarnation,
    assignment,
    leaseMs,
    leastDelayMs,
    load: loadRoutes,
  })
}

/** A site with a budget of its own is not split: its cells would count their pages each for itself. */
function mostUrls({ splitSites, maxPagesPerSite }: CrawlConfig): number {
  const isAsked = typeof splitSites === 'number' && maxPagesPerSite >= LIMITS.pagesPerSite
  return isAsked ? splitSites : Number.POSITIVE_INFINITY
}

/** The rules count also where the file cannot be archived. */
function archiveRobots(pack: OpenPack, site: SiteCrawl, exchange: Exchange, faults: PageFaults): void {
  try {
    pack.addRobots(site, exchange)
  } catch (error) {
    faults.caught(exchange.url, error)
  }
}

function laneSettings(config: CrawlConfig): LaneSettings {
  return {
    delay: config.delay,
    maxCrawlDelayMs: config.maxCrawlDelay * 1000,
    connectionsPerSite: config.connectionsPerSite,
    paused: false,
  }
}

function originRobotsSettings({
  config,
  clock,
}: AgentInput): ConstructorParameters<typeof SiteOpener>[0]['robots'] {
  return {
    mode: config.robots,
    productToken: PRODUCT_TOKEN,
    retryMs: config.robotsRetry * 1000,
    maxFailures: config.robotsFailures,
    maxTries: config.tries ?? Number.POSITIVE_INFINITY,
    recheckMs: config.robotsRecheck * 1000,
    runStartedAt: clock.now(),
  }
}
