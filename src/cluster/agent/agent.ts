/**
 * One agent: the crawl loop of one process. Read this first.
 *
 * The coordinator leases waiting cells to the agent, or the agent takes those that are its own by a plan of
 * phases or a routing table; it gives each to a lane and lets the lane visit its URLs. What the lanes bring
 * goes into the open pack; the transmitter ships packs. A cell whose queue is empty and whose last pack is
 * committed is finished; when no cell is left anywhere, the coordinator ends the crawl.
 */
import type { BusMessage } from '../../bus/index.js'
import type { Heartbeat } from '../../ledger/index.js'
import { type CellId, LIMITS, type Millis, sleep, WakeUp } from '../../model/index.js'
import type { AgentParts } from './agent-parts.js'
import { siteWorkOf } from './agent-work.js'
import {
  CellRelease,
  HeldCells,
  InboxNotices,
  type SiteLoad,
  Slices,
  SpareSites,
  TurnHandOver,
} from './cells/index.js'
import {
  Checkpoint,
  HEARTBEAT_MS,
  HeartbeatLoop,
  heartbeatStatus,
  LaneOffer,
  PeerProbe,
} from './heartbeat/index.js'
import type { SiteCrawl } from './site/index.js'

/** `ended`: the crawl is closed, the ledger says why. */
export type AgentEnd = 'ended' | 'stopped'

export class Agent {
  readonly #parts: AgentParts
  readonly #wake: WakeUp
  readonly #heldCells: HeldCells
  readonly #slices: Slices
  readonly #giving: CellRelease
  readonly #turns: TurnHandOver
  readonly #spare: SpareSites<SiteCrawl>
  readonly #inboxes: InboxNotices
  readonly #offer: LaneOffer
  readonly #heartbeatLoop: HeartbeatLoop
  readonly #probe: PeerProbe
  readonly #checkpoint: Checkpoint
  /** The more agents there are, the less often each speaks of its lanes. */
  #gatherMs: Millis = 0
  /** No other agent crawls, as the last heartbeat said. */
  #isAlone = true
  #ended = false
  #failure: Error | null = null

  constructor(parts: AgentParts) {
    const {
      clock,
      bus,
      ledger,
      incarnation,
      leaseMs,
      leaseMargin,
      siteOpener,
      transmitter,
      splitter,
      lanes,
    } = parts
    const { signal } = parts.stopping
    const sites = () => this.sites
    const inHand = () => this.sites.size
    const onFailure = (error: Error) => this.fail(error)
    this.#parts = parts
    this.#wake = new WakeUp(clock)
    this.#probe = new PeerProbe(clock, bus, incarnation)
    this.#inboxes = new InboxNotices(bus, sites, parts.routes)
    this.#giving = new CellRelease({
      ledger,
      siteOpener,
      transmitter,
      counters: parts.counters,
      sites,
      onFailure,
    })
    this.#spare = new SpareSites(clock, sites, () => parts.counters.fetches, parts.slices)
    this.#turns = new TurnHandOver(clock, sites, which => this.#giving.release(which))
    this.#checkpoint = new Checkpoint(
      () => transmitter.seal(),
      () => this.#heartbeatLoop.beatNow(),
    )
    this.#slices = new Slices({
      splitter,
      slices: parts.slices,
      lanes,
      inHand,
      free: () => this.#offer.free,
      onLend: () => this.#wake.notify(),
    })
    const work = siteWorkOf(parts, this.#slices, inHand)
    this.#heldCells = new HeldCells({
      clock,
      ledger,
      incarnation,
      siteOpener,
      signal,
      work: site => work.run(site),
      onLost: lost => this.lost(lost),
      onGone: site => this.#gone(site),
      onChange: () => this.#wake.notify(),
      onFailure,
    })
    this.#offer = new LaneOffer(parts, this.#heldCells, () => signal.aborted || parts.budget.exhausted)
    this.#heartbeatLoop = new HeartbeatLoop({
      clock,
      ledger,
      incarnation,
      leaseMs,
      leaseMargin,
      signal,
      status: () => this.#word(),
      onBeat: (beat, sent) => {
        parts.shards?.gates.measured(sent, beat.now)
        this.#take(beat)
      },
      onFailure,
      onPause: () => transmitter.poke(),
    })
  }

  get sites(): ReadonlyMap<CellId, SiteCrawl> {
    return this.#heldCells.sites
  }

  async run(): Promise<AgentEnd> {
    const { transmitter, stopping, bus, clock } = this.#parts
    const unsubscribe = bus.subscribe(message => this.#hear(message))
    const beating = this.#heartbeatLoop.run()
    try {
      for (;;) {
        await this.#takeCells()
        await this.#heldCells.take()
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
      unsubscribe()
      stopping.abort()
      await this.#quiet()
      await beating
      await this.#heartbeatLoop.end()
      this.#parts.shards?.gates.end()
    }
  }

  /** Seals what there is and ends; what is queued stays queued. */
  stop(): void {
    this.#parts.stopping.abort()
    for (const site of this.sites.values()) site.wake.notify()
    this.#wake.notify()
  }

  fail(error: Error): void {
    this.#failure ??= error
    this.stop()
  }

  /** After a commit: cells may be finished now, and cells that gained rows have something to read. */
  committed(sites: readonly SiteCrawl[], targets: ReadonlySet<CellId>): void {
    for (const site of sites) site.wake.notify()
    if (!this.#inboxes.sent(targets)) return
    this.#parts.shards?.claimer.recheck()
    this.#slices.waitingCells++
    this.#wake.notify()
  }

  /** Cells that belong to somebody else now: everything we know of them is void. */
  lost(sites: readonly SiteCrawl[]): void {
    this.#giving.lost(sites)
  }

  /** Who shares a turn has changed: every site is released once its request is over, and opened anew. */
  reopenAll(): void {
    this.#giving.release(() => true)
  }

  lendsLane(): boolean {
    return this.#slices.lendsLane()
  }

  /** Asked after every visit: true when the site has to be left. */
  endsSlice(site: SiteCrawl): boolean {
    return this.#slices.ends(site)
  }

  /** Under `phases`, and by a routing table; else the coordinator leases them to us. */
  async #takeCells(): Promise<void> {
    const { shards, routes, stopping } = this.#parts
    if (stopping.signal.aborted || (shards === null && routes === null)) return
    const free = this.#offer.offered
    const taken = await (shards?.claimer.take(free, this.#heldCells.cells()) ??
      routes?.take(free, group => this.#turns.isPassedOn(group)))
    if (taken) this.#heldCells.recheck()
  }

  #gone(site: SiteCrawl): void {
    if (site.mode.is === 'leaving' && site.mode.to === 'slice') this.#slices.waitingCells++
    // Nobody is left here who could have links for those that linger.
    if (this.#parts.laneCount.busy === 0) for (const other of this.sites.values()) other.wake.notify()
  }

  #hear(message: BusMessage): void {
    const { incarnation } = this.#parts
    this.#probe.hear(message)
    if (message.kind === 'leases' && message.to === incarnation) {
      this.#heldCells.recheck()
      this.#slices.waitingCells = message.waiting
      this.#wake.notify()
    }
    if (message.kind === 'wanted' && message.to === incarnation) this.#turns.wanted(message.groups)
    if (message.kind === 'move' && message.to === incarnation) {
      this.#parts.routes?.movedAway(message.cells)
      this.#giving.moveAway(message.cells, message.force)
    }
    if (message.kind === 'spare' && message.to === incarnation) {
      const spare = this.#spare.pick(message.groups)
      this.#giving.release(site => spare.has(site))
    }
    if (message.kind === 'turn-request') {
      this.#turns.wanted(message.groups)
      this.#parts.routes?.turnsRequested(message.groups)
    }
    if (message.kind === 'inbox') this.#hearRows(message.cells)
    if (message.kind === 'yours' && message.to === incarnation) this.#hearRows(message.cells)
    if (message.kind === 'routes' && this.#parts.routes !== null) this.#heartbeatLoop.beatNow()
    if (message.kind === 'ended') this.#heartbeatLoop.beatNow()
  }

  #hearRows(cells: readonly CellId[]): void {
    const { shards, routes } = this.#parts
    const others = this.#inboxes.heard(cells)
    if (others.length === 0 || (shards === null && routes === null)) return
    shards?.claimer.recheck()
    routes?.heard(others)
    this.#wake.notify()
  }

  /** Notices lost cells, new rows, new leases and the end. */
  #take(beat: Heartbeat): void {
    const { shards, routes, splitter } = this.#parts
    const lost = this.#heldCells.compare(beat)
    if (lost.length > 0) this.lost(lost)
    this.#inboxes.counted(beat)
    if (!beat.crawlOpen) this.#ended = true
    this.#slices.waitingCells = beat.waiting
    shards?.claimer.claimIfDue(beat.waiting, this.#heldCells.cells(), which => this.#giving.release(which))
    routes?.apply(beat, () => this.#wake.notify())
    this.#gatherMs = beat.share > 0 ? LIMITS.gatherMsPerAgent / beat.share : 0
    this.#tendBudget()
    this.#isAlone = beat.share >= 1
    if (!this.#isAlone) this.#probe.look()
    this.#wake.notify()
    this.#checkpoint.apply(beat.settings)
    splitter.apply(!this.#isAlone)
    this.#parts.onHeartbeat(beat)
  }

  #word() {
    const { counters, waitingFor } = this.#parts
    const lanes = this.#offer.status()
    return heartbeatStatus(
      counters,
      lanes,
      this.#siteLoad(),
      this.#probe.peers,
      waitingFor(),
      this.#checkpoint.done,
    )
  }

  /** Sites that are being opened have something to do. Alone there is nobody to share with. */
  #siteLoad(): SiteLoad {
    if (this.#isAlone) return { busySites: 0, spareGroups: 0 }
    const { busySites, spareGroups } = this.#spare.load()
    return { busySites: busySites + this.#heldCells.opening, spareGroups }
  }

  /** Who has no page left asks again, who needs none releases them. */
  #tendBudget(): void {
    const { budget } = this.#parts
    if (budget.exhausted) void budget.ask().catch(error => this.fail(error as Error))
    else if (this.#heldCells.count === 0) void budget.release().catch(error => this.fail(error as Error))
  }

  /** Waits until no lane is at work. */
  async #quiet(): Promise<void> {
    while (this.#heldCells.count > 0 && !this.#failure) {
      for (const site of this.sites.values()) site.wake.notify()
      await this.#wake.wait(HEARTBEAT_MS)
    }
  }
}
