/**
 * One agent: the crawl loop of one process. Read `lane/lane.ts` first, then this file.
 *
 * The coordinator leases waiting cells to the agent, or the agent claims its own cells by the plan of phases
 * or by a routing table. It opens each cell and lets a lane visit its URLs. What the lanes fetch goes into
 * the open pack, and the transmitter ships packs. A cell whose queue is empty and whose last pack is
 * committed is finished. When no cell is left anywhere, the coordinator ends the crawl.
 */
import type { Bus, BusMessage, LaneStatus } from '../../bus/index.js'
import type { Heartbeat, Incarnation } from '../../ledger/index.js'
import { type CellId, type Clock, LIMITS, type Millis, sleep, type WakeUp } from '../../model/index.js'
import type { PhaseGates } from '../../page/politeness/index.js'
import type { AgentStop } from './agent-stop.js'
import type {
  CellRelease,
  HeldCells,
  InboxNotices,
  RouteClaimer,
  ShardClaimer,
  SiteSplitter,
  SiteTasks,
  SiteWork,
  Slices,
  SpareSites,
  TurnHandOver,
} from './cells/index.js'
import {
  type Checkpoint,
  HEARTBEAT_MS,
  type HeartbeatLoop,
  heartbeatStatus,
  type LaneOffer,
  type PeerProbe,
} from './heartbeat/index.js'
import type { PageBudget, Transmitter } from './pack/index.js'
import type { Counters, LaneCount, SiteCrawl } from './site/index.js'

/** `ended`: the crawl is closed; the ledger says why. */
export type AgentEnd = 'ended' | 'stopped'

export interface AgentParts {
  readonly clock: Clock
  readonly bus: Bus
  readonly incarnation: Incarnation
  readonly stopping: AgentStop
  /** Notified when the loop has something to do. */
  readonly wake: WakeUp
  readonly counters: Counters
  readonly laneCount: LaneCount
  readonly budget: PageBudget
  readonly transmitter: Transmitter
  readonly heldCells: HeldCells
  readonly siteWork: SiteWork
  readonly release: CellRelease
  readonly slices: Slices
  readonly splitter: SiteSplitter
  readonly turns: TurnHandOver
  readonly spareSites: SpareSites<SiteCrawl>
  readonly inboxes: InboxNotices
  readonly offer: LaneOffer
  readonly heartbeats: HeartbeatLoop
  readonly probe: PeerProbe
  readonly checkpoint: Checkpoint
  /** Under `phases`: claims cells without a coordinator, and knows when the phases swap. */
  readonly shards: { readonly claimer: ShardClaimer; readonly gates: PhaseGates } | null
  /** Claims the agent's own cells by a routing table. */
  readonly routes: RouteClaimer | null
  /** Why nothing is being fetched, for the status. */
  readonly waitingFor: () => string
  /** Called with every heartbeat: settings may have changed. */
  readonly onHeartbeat: (beat: Heartbeat) => void
}

export class Agent {
  readonly #parts: AgentParts
  readonly #tasks: SiteTasks
  /** How long changes are collected before the next round. It grows with the number of agents. */
  #gatherMs: Millis = 0
  /** No other agent crawls, as of the last heartbeat. */
  #isAlone = true
  #ended = false

  constructor(parts: AgentParts) {
    const { siteWork, transmitter, stopping } = parts
    this.#parts = parts
    this.#tasks = {
      run: site => siteWork.run(site),
      lose: sites => transmitter.lose(sites),
      closed: site => this.#siteClosed(site),
    }
    stopping.signal.addEventListener('abort', () => this.#wakeSites(), { once: true })
  }

  get sites(): ReadonlyMap<CellId, SiteCrawl> {
    return this.#parts.heldCells.sites
  }

  async run(): Promise<AgentEnd> {
    const { bus, clock, stopping, wake, heldCells, offer, transmitter, heartbeats, shards } = this.#parts
    const unsubscribe = bus.subscribe(message => this.#receive(message))
    const status = () => this.#status()
    const beating = heartbeats.run(status, (beat, sent) => {
      shards?.gates.measured(sent, beat.now)
      this.#apply(beat)
    })
    try {
      for (;;) {
        await this.#claimCells()
        await heldCells.open(this.#tasks)
        if (this.#ended || stopping.signal.aborted) break
        offer.send()
        await wake.wait(HEARTBEAT_MS)
        if (this.#gatherMs >= 1) await sleep(clock, this.#gatherMs)
        stopping.throwIfFailed()
      }
      await this.#drain()
      await transmitter.seal()
      stopping.throwIfFailed()
      return this.#ended ? 'ended' : 'stopped'
    } finally {
      unsubscribe()
      stopping.stop()
      await this.#drain()
      await beating
      await heartbeats.end(status)
      shards?.gates.end()
    }
  }

  /** Commits what was fetched and ends; what is queued stays queued. */
  stop(): void {
    this.#parts.stopping.stop()
  }

  /** The grouping of sites has changed: releases every site after its request, to be opened anew. */
  reopenAll(): void {
    this.#parts.release.release(() => true)
  }

  /** Claims cells under `phases` or with a routing table; otherwise the coordinator grants cells. */
  async #claimCells(): Promise<void> {
    const { shards, routes, stopping, offer, heldCells, turns } = this.#parts
    if (stopping.signal.aborted || (shards === null && routes === null)) return
    const free = offer.offered
    const hasClaimed = await (shards?.claimer.claim(free, heldCells.cells()) ??
      routes?.claim(free, group => turns.isPassedOn(group)))
    if (hasClaimed) heldCells.recheck()
  }

  #siteClosed(site: SiteCrawl): void {
    const { slices, laneCount } = this.#parts
    if (site.mode.is === 'leaving' && site.mode.to === 'slice') slices.waitingCells++
    // Sites that linger wait for links from sites at work: now there are none.
    if (laneCount.busy === 0) this.#wakeSites()
  }

  #wakeSites(): void {
    for (const site of this.sites.values()) site.wake.notify()
  }

  #receive(message: BusMessage): void {
    const { incarnation, wake, heldCells, slices, turns, release, routes, heartbeats } = this.#parts
    if ('to' in message && message.to !== incarnation) return
    switch (message.kind) {
      case 'leases':
        heldCells.recheck()
        slices.waitingCells = message.waiting
        wake.notify()
        break
      case 'inbox':
      case 'yours':
        this.#parts.inboxes.received(message.cells)
        break
      case 'wanted':
        turns.wanted(message.groups)
        break
      case 'turn-request':
        turns.wanted(message.groups)
        routes?.turnsRequested(message.groups)
        break
      case 'move':
        routes?.movedAway(message.cells)
        release.moveAway(message.cells, message.force)
        break
      case 'spare':
        this.#releaseSpare(message.groups)
        break
      case 'routes':
        if (routes !== null) heartbeats.beatNow()
        break
      case 'ended':
        heartbeats.beatNow()
        break
      case 'ping':
      case 'pong':
        this.#parts.probe.receive(message)
    }
  }

  #releaseSpare(groups: number): void {
    const spare = this.#parts.spareSites.pick(groups)
    this.#parts.release.release(site => spare.has(site))
  }

  /** The answer to a heartbeat: lost cells, new rows, new leases, settings, the end of the crawl. */
  #apply(beat: Heartbeat): void {
    const { heldCells, transmitter, inboxes, slices, shards, routes, wake, probe } = this.#parts
    const lost = heldCells.compare(beat)
    if (lost.length > 0) transmitter.lose(lost)
    inboxes.compare(beat)
    if (!beat.crawlOpen) this.#ended = true
    slices.waitingCells = beat.waiting
    shards?.claimer.apply(beat.waiting, heldCells.cells(), which => this.#parts.release.release(which))
    routes?.apply(beat, () => wake.notify())
    this.#gatherMs = beat.share > 0 ? LIMITS.gatherMsPerAgent / beat.share : 0
    this.#balanceBudget()
    this.#isAlone = beat.share >= 1
    if (!this.#isAlone) probe.look()
    wake.notify()
    this.#parts.checkpoint.apply(beat.settings)
    this.#parts.splitter.apply(!this.#isAlone)
    this.#parts.onHeartbeat(beat)
  }

  #status(): LaneStatus {
    const { counters, offer, spareSites, heldCells, probe, waitingFor, checkpoint } = this.#parts
    const lanes = offer.status()
    // Without other agents nobody reads the load, so it is not computed.
    const sites = this.#isAlone
      ? { busySites: 0, workLeft: 0, spareGroups: 0 }
      : spareSites.load(heldCells.opening)
    return heartbeatStatus(counters, lanes, sites, probe.peers, waitingFor(), checkpoint.done)
  }

  /** Reserves pages if there are none, and gives them back if there is nothing to crawl. */
  #balanceBudget(): void {
    const { budget, heldCells, stopping } = this.#parts
    if (budget.exhausted) void budget.ask().catch(stopping.fail)
    else if (heldCells.count === 0) void budget.release().catch(stopping.fail)
  }

  /** Waits until no cell is held. */
  async #drain(): Promise<void> {
    const { heldCells, stopping, wake } = this.#parts
    while (heldCells.count > 0 && !stopping.hasFailed) {
      this.#wakeSites()
      await wake.wait(HEARTBEAT_MS)
    }
  }
}
