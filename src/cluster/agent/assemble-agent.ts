/**
 * Builds an agent, each part after the parts it uses. Every port and setting is an argument, so the same
 * agent runs on a real machine, in one of its threads, and in the simulator.
 */
import type { PackStore } from '../../data/store/index.js'
import { LIMITS } from '../../model/index.js'
import type { FrontierSpace } from '../../page/frontier/index.js'
import { type LeasedFetcher, type RateLimit, Turns } from '../../page/politeness/index.js'
import { Agent } from './agent.js'
import type { AgentInput } from './agent-input.js'
import { type AgentCells, cellsOf } from './assemble-cells.js'
import { type AgentCore, coreOf } from './assemble-core.js'
import { laneOf } from './assemble-lane.js'
import { type AgentLinks, linksOf } from './assemble-links.js'
import { CellRelease, SiteWork, SpareSites, TurnHandOver } from './cells/index.js'
import { Checkpoint, HeartbeatLoop, PeerProbe } from './heartbeat/index.js'
import type { Lane, LaneSettings } from './lane/index.js'
import { MessageCount, Transmitter } from './pack/index.js'
import { BucketDispatcher, type Counters } from './site/index.js'

export interface AssembledAgent {
  readonly agent: Agent
  readonly counters: Counters
  readonly fetcher: LeasedFetcher
  readonly store: PackStore
  readonly space: FrontierSpace
  readonly rate: RateLimit
  readonly turns: Turns
  readonly settings: LaneSettings
}

export function assembleAgent(input: AgentInput): AssembledAgent {
  const core = coreOf(input)
  const turns = turnsOf(input, core)
  const cells = cellsOf(input, core, turns)
  const transmitter = transmitterOf(input, core, cells)
  const links = linksOf(input, core, () => transmitter.pack)
  const lane = laneOf(input, core, turns, cells, transmitter, links)
  const siteWork = siteWorkOf(input, core, cells, transmitter, links, lane)
  const agent = agentOf(input, core, cells, transmitter, siteWork)
  const { counters, fetcher, rate, settings } = core
  return { agent, counters, fetcher, store: input.store, space: input.space, rate, turns, settings }
}

function turnsOf(input: AgentInput, core: AgentCore): Turns {
  const { clock, ledger, incarnation, leaseMs, config } = input
  const { fetcher, settings, leastDelayMs, stopping, phases } = core
  return new Turns({
    clock,
    ledger,
    incarnation,
    grouping: config.group,
    resolve: host => fetcher.resolve(host),
    leastDelayMs,
    connectionsPerSite: () => settings.connectionsPerSite,
    leaseMs,
    signal: stopping.signal,
    onFailure: stopping.fail,
    phases,
  })
}

function transmitterOf(input: AgentInput, core: AgentCore, { inboxes }: AgentCells): Transmitter {
  const { clock, random, ledger, store, incarnation, newBuilder, config, onDiskTrouble, name, space } = input
  const { cells, sent, budget, counters, stopping } = core
  return new Transmitter({
    clock,
    random,
    ledger,
    store,
    incarnation,
    newBuilder,
    linkBytes: input.linkBytes ?? LIMITS.linkBytes,
    onDiskTrouble,
    grouping: config.group,
    cells,
    sent,
    messageCount: new MessageCount(name, ledger, space.seen),
    budget,
    counters,
    onCommitted: (sites, targets) => {
      for (const site of sites) site.wake.notify()
      inboxes.committed(targets)
    },
    onLost: sites => input.log('cells lost', { cells: sites.map(site => site.cell) }),
    onFailure: stopping.fail,
    stopping: stopping.signal,
  })
}

function siteWorkOf(
  { clock, ledger, config }: AgentInput,
  { counters, laneCount, maxWaitMs, phases, stopping, envoys }: AgentCore,
  { splitter, siteOpener, slices, heldCells }: AgentCells,
  transmitter: Transmitter,
  { admission }: AgentLinks,
  lane: Lane,
): SiteWork {
  const { signal } = stopping
  const sizes = phases?.plan.bucket
  const lendsLane = () => slices.lendsLane()
  return new SiteWork({
    clock,
    ledger,
    lane,
    transmitter,
    admission,
    counters,
    splitter,
    siteOpener,
    envoys,
    slices,
    laneCount,
    maxWaitMs,
    bucket: sizes === undefined ? null : new BucketDispatcher({ clock, sizes, lendsLane, signal }),
    mayLinger: () => laneCount.busy > 0 && heldCells.sites.size <= config.lanes,
    signal,
  })
}

function agentOf(
  input: AgentInput,
  core: AgentCore,
  cells: AgentCells,
  transmitter: Transmitter,
  siteWork: SiteWork,
): Agent {
  const { clock, bus, ledger, incarnation, leaseMs, config, waitingFor, onHeartbeat } = input
  const { stopping, wake, counters, laneCount, budget, leaseMargin } = core
  const { heldCells, siteOpener, routes, shards, offer, splitter, slices, inboxes } = cells
  const { signal, fail: onFailure } = stopping
  const release = new CellRelease({ ledger, siteOpener, transmitter, counters, heldCells, onFailure })
  const heartbeats = new HeartbeatLoop({
    clock,
    ledger,
    incarnation,
    leaseMs,
    leaseMargin,
    signal,
    onFailure,
    onPause: () => transmitter.poke(),
  })
  const fetches = () => counters.fetches
  return new Agent({
    clock,
    bus,
    incarnation,
    stopping,
    wake,
    counters,
    laneCount,
    budget,
    transmitter,
    heldCells,
    siteWork,
    release,
    slices,
    splitter,
    turns: new TurnHandOver(clock, heldCells, release),
    spareSites: new SpareSites(clock, () => heldCells.sites, fetches, config.slices === 'on'),
    inboxes,
    offer,
    heartbeats,
    probe: new PeerProbe(clock, bus, incarnation),
    checkpoint: new Checkpoint(
      () => transmitter.seal(),
      () => heartbeats.beatNow(),
    ),
    shards,
    routes,
    waitingFor,
    onHeartbeat,
  })
}
