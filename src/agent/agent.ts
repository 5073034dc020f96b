/**
 * One agent: the crawl loop of one process. Read this first.
 *
 * The coordinator leases waiting cells to the agent; it gives each to a lane and lets the lane visit its URLs. What the
 * lanes bring goes into the open pack; the transmitter ships packs. A cell whose queue is empty and whose last pack is
 * committed is finished; when no cell is left anywhere, the coordinator ends the crawl.
 */
import { shardOf } from '../assign/phases/index.js'
import type { BusMessage, Heartbeat, Ledger } from '../cluster/index.js'
import type { CellId, GroupId } from '../model/cell.js'
import { type Clock, type Millis, sleep } from '../model/clock.js'
import { LIMITS } from '../model/limits.js'
import type { Stop } from '../model/stop.js'
import { Wake } from '../model/wake.js'
import type { Admission } from './admission.js'
import { BucketDesk } from './bucket-desk.js'
import { Checkpoint } from './checkpoint.js'
import type { Counters } from './counters.js'
import { wordOf } from './heartbeat-word.js'
import { Holdings } from './holdings.js'
import type { Lane } from './lane.js'
import { LaneOffer, type LaneOfferParts } from './lane-offer.js'
import type { PageBudget } from './page-budget.js'
import { PeerProbe } from './peer-probe.js'
import type { PhaseGates } from './phase-gates.js'
import { HEARTBEAT_MS, Pulse } from './pulse.js'
import type { ShardTaker } from './shard-taker.js'
import type { SiteCrawl } from './site-crawl.js'
import type { SiteDesk } from './site-desk.js'
import type { SiteSplitter } from './site-splitter.js'
import { SiteWork } from './site-work.js'
import type { Tenure } from './tenure.js'
import type { Transmitter } from './transmitter.js'
import { KEEP_MS, TurnPassing } from './turn-passing.js'

/**
 * A lane gives its site back after this many visits when other sites wait; a large site after visits for this share of
 * its URLs, because it has to be rebuilt when its turn comes again.
 */
const SLICE_VISITS = 2_000
const SLICE_SHARE = 1 / 4
/** A cell of a split site keeps the turn at least so long, and so many times as long as it took to rebuild. */
const LEAST_KEEP_MS = 1_000
const REBUILDS_KEPT = 20

export interface AgentParts extends LaneOfferParts {
  readonly clock: Clock
  readonly ledger: Ledger
  readonly desk: SiteDesk
  readonly lane: Lane
  readonly transmitter: Transmitter
  readonly splitter: SiteSplitter
  readonly admission: Admission
  readonly budget: PageBudget
  readonly counters: Counters
  readonly tenure: Tenure
  readonly leaseMs: Millis
  /** A site with nothing to do for longer than this is parked. */
  readonly maxWaitMs: Millis
  /** Off, a lane keeps its site to the end. */
  readonly slices: boolean
  /** Aborted by `stop`: lanes send nothing more. */
  readonly stopping: Stop
  /** Why nothing is being fetched, for those who look from outside. */
  readonly waitingFor: () => string
  /** Under `phases`: takes cells without a coordinator, and knows the time by which phases swap. */
  readonly shards: { readonly taker: ShardTaker; readonly gates: PhaseGates } | null
  /** Sees every heartbeat: settings may have changed. */
  readonly onHeartbeat: (beat: Heartbeat) => void
}

/** `ended`: the crawl is closed, the ledger says why. */
export type AgentEnd = 'ended' | 'stopped'

export class Agent {
  readonly #parts: AgentParts
  readonly #wake: Wake
  readonly #holdings: Holdings
  readonly #offer: LaneOffer
  readonly #pulse: Pulse
  readonly #probe: PeerProbe
  readonly #turnPassing: TurnPassing
  readonly #checkpoint: Checkpoint
  #waitingCells = 1
  /** The more agents there are, the less often each speaks of its lanes. */
  #gatherMs: Millis = 0
  #ended = false
  #failure: Error | null = null

  constructor(parts: AgentParts) {
    const { clock, ledger, incarnation, leaseMs, tenure, desk, lane, transmitter, admission, counters } =
      parts
    const { laneCount, maxWaitMs, budget, splitter } = parts
    const { signal } = parts.stopping
    this.#parts = parts
    this.#wake = new Wake(clock)
    this.#turnPassing = new TurnPassing(clock)
    this.#probe = new PeerProbe(clock, parts.bus, incarnation)
    this.#checkpoint = new Checkpoint(
      () => transmitter.seal(),
      () => this.#pulse.hurry(),
    )
    // Name by name: of objects made with `...parts` each has a shape of its own, which the simulator's thousand agents pay for.
    const bucket =
      parts.shards &&
      new BucketDesk({
        clock,
        sizes: parts.shards.gates.plan.bucket,
        lendsLane: () => this.lendsLane(),
        signal,
      })
    const work = new SiteWork(
      {
        clock,
        ledger,
        lane,
        transmitter,
        admission,
        counters,
        splitter,
        desk,
        laneCount,
        maxWaitMs,
        bucket,
        signal,
      },
      site => this.endsSlice(site),
      () => laneCount.busy > 0 && this.sites.size <= parts.lanes,
    )
    this.#holdings = new Holdings({
      clock,
      ledger,
      incarnation,
      desk,
      signal,
      work: site => work.run(site),
      onLost: sites => this.lost(sites),
      onGone: site => this.#gone(site),
      onChange: () => this.#wake.ring(),
      onFailure: error => this.fail(error),
    })
    this.#offer = new LaneOffer(parts, this.#holdings, () => signal.aborted || budget.exhausted)
    this.#pulse = new Pulse({
      clock,
      ledger,
      incarnation,
      leaseMs,
      tenure,
      signal,
      status: () => this.#word(),
      onBeat: (beat, sent) => {
        parts.shards?.gates.measured(sent, beat.now)
        this.#take(beat)
      },
      onFailure: error => this.fail(error),
      onPause: () => transmitter.poke(),
    })
  }

  get sites(): ReadonlyMap<CellId, SiteCrawl> {
    return this.#holdings.sites
  }

  async run(): Promise<AgentEnd> {
    const { transmitter, stopping, bus, clock } = this.#parts
    const deaf = bus.listen(message => this.#hear(message))
    const beating = this.#pulse.run()
    try {
      for (;;) {
        await this.#takeCells()
        await this.#holdings.take()
        if (this.#ended || stopping.signal.aborted) break
        this.#offer.tell()
        await this.#wake.wait(HEARTBEAT_MS)
        if (this.#gatherMs >= 1) await sleep(clock, this.#gatherMs)
        if (this.#failure) throw this.#failure
      }
      await this.#quiet()
      await transmitter.seal()
      if (this.#failure) throw this.#failure
      return this.#ended ? 'ended' : 'stopped'
    } finally {
      deaf()
      stopping.abort()
      await this.#quiet()
      await beating
      await this.#pulse.end()
      this.#parts.shards?.gates.end()
    }
  }

  /** Seals what there is and ends; what is queued stays queued. */
  stop(): void {
    this.#parts.stopping.abort()
    for (const site of this.sites.values()) site.wake.ring()
    this.#wake.ring()
  }

  fail(error: Error): void {
    this.#failure ??= error
    this.stop()
  }

  /** Under `phases`; else the coordinator leases them to us. */
  async #takeCells(): Promise<void> {
    const { shards, stopping } = this.#parts
    if (shards === null || stopping.signal.aborted) return
    if (await shards.taker.take(this.#offer.offered, this.#holdings.cells())) this.#holdings.lookAgain()
  }

  /** After a commit: cells may be finished now, and cells that gained rows have something to read. */
  committed(sites: readonly SiteCrawl[], targets: ReadonlySet<CellId>): void {
    for (const site of sites) site.wake.ring()
    const others = [...targets].filter(cell => !this.#hasRows(cell))
    if (others.length === 0) return
    this.#parts.bus.send({ kind: 'inbox', cells: others })
    this.#parts.shards?.taker.lookAgain()
    this.#waitingCells++
    this.#wake.ring()
  }

  /** Cells that belong to somebody else now: everything we know of them is void. */
  lost(sites: readonly SiteCrawl[]): void {
    for (const site of sites) {
      site.leave('lost')
      site.wake.ring()
    }
    this.#parts.transmitter.forget(sites)
  }

  /** Who shares a turn has changed: every site is given back once its request is over, and opened anew. */
  reopenAll(): void {
    this.#giveBack(() => true)
  }

  /** A site waits long for its turn: true when it has to do so in the ledger, because many others do here. */
  lendsLane(): boolean {
    if (this.#waitingCells === 0) return false
    this.#wake.ring()
    return this.sites.size >= this.#parts.lanes + LIMITS.sitesInWait
  }

  /** When others wait, a site that has had its slice lets them have its lane. Asked after every visit. */
  endsSlice(site: SiteCrawl): boolean {
    if (this.#parts.splitter.wants(site)) site.leave('split')
    if (site.visits < SLICE_VISITS || !this.#parts.slices) return site.mode.is === 'leaving'
    const crowded = this.#waitingCells > 0 && this.#offer.free <= 0
    const hadShare = site.visits >= site.frontier.known * SLICE_SHARE
    if (crowded && hadShare && site.mode.is === 'crawling' && !site.frontier.isEmpty) site.leave('slice')
    return site.mode.is === 'leaving'
  }

  #passOn(wanted: readonly GroupId[]): void {
    const ours = wanted.filter(group => this.#hasSiteOf(group))
    const groups = this.#turnPassing.due(ours, group => this.#keepMsOf(group))
    if (groups.size > 0) this.#giveBack(({ pace }) => pace.groups.some(({ id }) => groups.has(id)))
  }

  #hasSiteOf(group: GroupId): boolean {
    for (const { pace } of this.sites.values()) if (pace.groups.some(({ id }) => id === group)) return true
    return false
  }

  /** Cells of a split site are meant to take turns: each for as long as its rebuild is worth. */
  #keepMsOf(group: GroupId): Millis {
    let keepMs = KEEP_MS
    for (const { cell, site, pace, rebuildMs } of this.sites.values()) {
      if (cell === site || !pace.groups.some(({ id }) => id === group)) continue
      keepMs = Math.min(keepMs, Math.max(LEAST_KEEP_MS, REBUILDS_KEPT * rebuildMs))
    }
    return keepMs
  }

  /** Sealed and committed first; by force without what is not committed, once no request is under way. */
  #moveAway(cells: readonly CellId[], force: boolean): void {
    const wanted = new Set(cells)
    this.#giveBack(({ cell }) => wanted.has(cell))
    if (!force) return
    const { ledger, desk } = this.#parts
    const late = [...this.sites.values()].filter(
      site => wanted.has(site.cell) && site.inFlight === 0 && desk.mayLeave(site),
    )
    this.lost(late)
    for (const { cell, lease } of late)
      void ledger.release(cell, lease.epoch, 'head').catch(error => this.fail(error as Error))
  }

  #giveBack(which: (site: SiteCrawl) => boolean): void {
    for (const site of this.sites.values()) {
      if (site.mode.is !== 'crawling' || !which(site)) continue
      site.leave('slice')
      site.wake.ring()
    }
  }

  #gone(site: SiteCrawl): void {
    if (site.mode.is === 'leaving' && site.mode.to === 'slice') this.#waitingCells++
    // Nobody is left here who could have links for those that linger.
    if (this.#parts.laneCount.busy === 0) for (const other of this.sites.values()) other.wake.ring()
  }

  #hear(message: BusMessage): void {
    this.#probe.hear(message)
    if (message.kind === 'leases' && message.to === this.#parts.incarnation) {
      this.#holdings.lookAgain()
      this.#waitingCells = message.waiting
      this.#wake.ring()
    }
    if (message.kind === 'wanted' && message.to === this.#parts.incarnation) this.#passOn(message.groups)
    if (message.kind === 'move' && message.to === this.#parts.incarnation)
      this.#moveAway(message.cells, message.force)
    if (message.kind === 'visit') this.#passOn(message.groups)
    if (message.kind === 'inbox') this.#hearRows(message.cells)
    if (message.kind === 'ended') this.#pulse.hurry()
  }

  #hearRows(cells: readonly CellId[]): void {
    const { shards } = this.#parts
    let isAll = true
    for (const cell of cells) if (!this.#hasRows(cell)) isAll = false
    if (shards === null || isAll) return
    shards.taker.lookAgain()
    this.#wake.ring()
  }

  /** True when the cell is in our hands. */
  #hasRows(cell: CellId): boolean {
    const site = this.sites.get(cell)
    if (!site) return false
    site.inboxDirty = true
    site.wake.ring()
    return true
  }

  /** Notices lost cells, new rows, new leases and the end. */
  #take(beat: Heartbeat): void {
    const lost = this.#holdings.compare(beat)
    if (lost.length > 0) this.lost(lost)
    for (const { cell, epoch, appended } of beat.held) {
      const site = this.sites.get(cell)
      if (site?.lease.epoch !== epoch || appended === site.appendedSeen) continue
      site.appendedSeen = appended
      this.#hasRows(cell)
    }
    if (!beat.crawlOpen) this.#ended = true
    this.#waitingCells = beat.waiting
    if (this.#parts.shards !== null) this.#tendShards(this.#parts.shards.taker, beat.waiting)
    this.#gatherMs = beat.share > 0 ? LIMITS.gatherMsPerAgent / beat.share : 0
    this.#tendBudget()
    // Alone there is nobody to ask.
    if (beat.share < 1) this.#probe.look()
    this.#wake.ring()
    this.#checkpoint.heed(beat.settings)
    this.#parts.splitter.heed(beat.settings, beat.share < 1)
    this.#parts.onHeartbeat(beat)
  }

  #tendShards(taker: ShardTaker, waiting: number): void {
    if (waiting > 0) taker.lookAgain()
    const excess = taker.excess(this.#holdings.cells())
    if (excess !== null) this.#giveBack(({ cell }) => shardOf(cell) === excess)
  }

  #word() {
    const { counters, waitingFor } = this.#parts
    return wordOf(counters, this.#offer.status(), this.#probe.peers, waitingFor(), this.#checkpoint.done)
  }

  /** Who has no page left asks again, who needs none gives them back. */
  #tendBudget(): void {
    const { budget } = this.#parts
    if (budget.exhausted) void budget.ask().catch(error => this.fail(error as Error))
    else if (this.#holdings.count === 0) void budget.release().catch(error => this.fail(error as Error))
  }

  /** Waits until no lane is at work. */
  async #quiet(): Promise<void> {
    while (this.#holdings.count > 0 && !this.#failure) {
      for (const site of this.sites.values()) site.wake.ring()
      await this.#wake.wait(HEARTBEAT_MS)
    }
  }
}
