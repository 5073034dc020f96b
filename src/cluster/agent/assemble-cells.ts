/** Builds the parts of an agent that get cells, hold them and share them with other agents. */
import type { CrawlConfig } from '../../config/index.js'
import { LIMITS } from '../../model/index.js'
import { CellFrontier } from '../../page/frontier/index.js'
import { SiteTraps } from '../../page/frontier/traps/index.js'
import type { Turns } from '../../page/politeness/index.js'
import type { AgentInput } from './agent-input.js'
import type { AgentCore } from './assemble-core.js'
import {
  HeldCells,
  InboxNotices,
  RouteClaimer,
  ShardClaimer,
  SiteOpener,
  SiteSplitter,
  Slices,
} from './cells/index.js'
import { LaneOffer } from './heartbeat/index.js'
import { PRODUCT_TOKEN } from './lane/index.js'

export type AgentCells = ReturnType<typeof cellsOf>

export function cellsOf(input: AgentInput, core: AgentCore, turns: Turns) {
  const { clock, ledger, bus, incarnation, config, log } = input
  const { wake, stopping, cells, phases } = core
  const { signal, fail: onFailure } = stopping
  const siteOpener = siteOpenerOf(input, core, turns)
  const heldCells = new HeldCells({ clock, ledger, incarnation, siteOpener, signal, wake, onFailure })
  const routes = routesOf(input, core)
  const shards = shardsOf(input, core)
  const offer = laneOfferOf(input, core, heldCells, routes)
  const splitter = new SiteSplitter({ clock, ledger, bus, cells, mostUrls: mostUrls(config), log })
  const slices = new Slices({
    splitter,
    slices: config.slices === 'on',
    lanes: config.lanes,
    heldCells,
    free: () => offer.free,
    wake,
  })
  const inboxes = new InboxNotices({ bus, heldCells, routes, shards, slices, wake })
  return {
    siteOpener,
    heldCells,
    routes,
    shards: shards && phases && { claimer: shards, gates: phases },
    offer,
    splitter,
    slices,
    inboxes,
  }
}

function siteOpenerOf(input: AgentInput, core: AgentCore, turns: Turns): SiteOpener {
  const { clock, ledger, space, config } = input
  const { cells, laneCount, faults, phases, traps, isLocal, maxDepth, maxTries } = core
  const robots = {
    mode: config.robots,
    productToken: PRODUCT_TOKEN,
    retryMs: config.robotsRetry * 1000,
    maxFailures: config.robotsFailures,
    maxTries,
    isLocal,
    recheckMs: config.robotsRecheck * 1000,
    runStartedAt: clock.now(),
  }
  const maxPages = Math.ceil(config.maxPagesPerSite / (phases?.plan.nodes ?? 1))
  return new SiteOpener({
    clock,
    ledger,
    space,
    turns,
    cells,
    lanes: laneCount,
    faults,
    robots,
    newFrontier: () => new CellFrontier(space, { maxDepth, order: config.order }),
    newTraps: known => new SiteTraps({ rules: traps, maxPages, clock, known }),
  })
}

function laneOfferOf(
  { bus, incarnation, config, capacity }: AgentInput,
  { laneCount, budget, stopping }: AgentCore,
  heldCells: HeldCells,
  routes: RouteClaimer | null,
): LaneOffer {
  const { lanes } = config
  return new LaneOffer({
    bus,
    incarnation,
    lanes,
    laneCount,
    capacity: capacity ?? (() => ({ lanes, capacity: 1, load: null })),
    routes,
    heldCells,
    isDone: () => stopping.signal.aborted || budget.exhausted,
  })
}

function routesOf(input: AgentInput, { leastDelayMs }: AgentCore): RouteClaimer | null {
  const { name, incarnation, clock, ledger, bus, config, leaseMs, loadRoutes: load } = input
  const { assign: assignment } = config
  if (!load) return null
  return new RouteClaimer({
    clock,
    ledger,
    bus,
    name,
    incarnation,
    assignment,
    leaseMs,
    leastDelayMs,
    load,
  })
}

function shardsOf(
  { clock, ledger, incarnation, leaseMs }: AgentInput,
  { phases, leastDelayMs }: AgentCore,
): ShardClaimer | null {
  if (phases === null) return null
  return new ShardClaimer({ clock, ledger, incarnation, leaseMs, leastDelayMs, shards: phases.plan.nodes })
}

/** A site with a page limit of its own is not split: each of its cells would count its pages alone. */
function mostUrls({ splitSites, maxPagesPerSite }: CrawlConfig): number {
  const isSplit = typeof splitSites === 'number' && maxPagesPerSite >= LIMITS.pagesPerSite
  return isSplit ? splitSites : Number.POSITIVE_INFINITY
}
