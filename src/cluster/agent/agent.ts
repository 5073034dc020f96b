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
import { type CellId, LIMITS, type Millis, sleep, Wake } from '../../model/index.js'
import type { AgentParts } from './agent-parts.js'
import { siteWorkOf } from './agent-work.js'
import {
  GivingBack,
  Holdings,
  InboxNews,
  type SiteLoad,
  Slices,
  SpareSites,
  TurnKeeping,
} from './cells/index.js'
import { Checkpoint, HEARTBEAT_MS, LaneOffer, PeerProbe, Pulse, wordOf } from './heartbeat/index.js'
import type { SiteCrawl } from './site/index.js'

/** `ended`: the crawl is closed, the ledger says why. */
export type AgentEnd = 'ended' | 'stopped'

export class Agent {
  readonly #parts: AgentParts
  readonly #wake: Wake
  readonly #holdings: Holdings
  readonly #slices: Slices
  readonly #giving: GivingBack
  readonly #turns: TurnKeeping
  readonly #spare: SpareSites<SiteCrawl>
  readonly #inboxes: InboxNews
  readonly #offer: LaneOffer
  readonly #pulse: Pulse
  readonly #probe: PeerProbe
  readonly #checkpoint: Checkpoint
  /** The more agents there are, the less often each speaks of its lanes. */
  #gatherMs: Millis = 0
  /** No other agent crawls, as the last heartbeat said. */
  #isAlone = true
  #ended = false
  #failure: Error | null = null

  constructor(parts: AgentParts) {
    const { clock, bus, ledger, incarnation, leaseMs, tenure, desk, transmitter, splitter, lanes } = parts
    const { signal } = parts.stopping
    const sites = () => this.sites
    const inHand = () => this.sites.size
    const onFailure = (error: Error) => this.fail(error)
    this.#parts = parts
    this.#wake = new Wake(clock)
    this.#probe = new PeerProbe(clock, bus, incarnation)
    this.#inboxes = new InboxNews(bus, sites, parts.routes)
    this.#giving = new GivingBack({ ledger, desk, transmitter, counters: parts.counters, sites, onFailure })
    this.#spare = new SpareSites(clock, sites, () => parts.counters.fetches, parts.slices)
    this.#turns = new TurnKeeping(clock, sites, which => this.#giving.giveBack(which))
    this.#checkpoint = new Checkpoint(
      () => transmitter.seal(),
      () => this.#pulse.hurry(),
    )
    this.#slices = new Slices({
      splitter,
      slices: parts.slices,
      lanes,
      inHand,
      free: () => this.#offer.free,
      onLend: () => this.#wake.ring(),
    })
    const work = siteWorkOf(parts, this.#slices, inHand)
    this.#holdings = new Holdings({
      clock,
      ledger,
      incarnation,
      desk,
      signal,
      work: site => work.run(site),
      onLost: lost => this.lost(lost),
      onGone: site => this.#gone(site),
      onChange: () => this.#wake.ring(),
      onFailure,
    })
    this.#offer = new LaneOffer(parts, this.#holdings, () => signal.aborted || parts.budget.exhausted)
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
      onFailure,
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

  /** After a commit: cells may be finished now, and cells that gained rows have something to read. */
  committed(sites: readonly SiteCrawl[], targets: ReadonlySet<CellId>): void {
    for (const site of sites) site.wake.ring()
    if (!this.#inboxes.sent(targets)) return
    this.#parts.shards?.taker.lookAgain()
    this.#slices.waitingCells++
    this.#wake.ring()
  }

  /** Cells that belong to somebody else now: everything we know of them is void. */
  lost(sites: readonly SiteCrawl[]): void {
    this.#giving.lost(sites)
  }

  /** Who shares a turn has changed: every site is given back once its request is over, and opened anew. */
  reopenAll(): void {
    this.#giving.giveBack(() => true)
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
    const taken = await (shards?.taker.take(free, this.#holdings.cells()) ??
      routes?.take(free, group => this.#turns.isPassedOn(group)))
    if (taken) this.#holdings.lookAgain()
  }

  #gone(site: SiteCrawl): void {
    if (site.mode.is === 'leaving' && site.mode.to === 'slice') this.#slices.waitingCells++
    // Nobody is left here who could have links for those that linger.
    if (this.#parts.laneCount.busy === 0) for (const other of this.sites.values()) other.wake.ring()
  }

  #hear(message: BusMessage): void {
    const { incarnation } = this.#parts
    this.#probe.hear(message)
    if (message.kind === 'leases' && message.to === incarnation) {
      this.#holdings.lookAgain()
      this.#slices.waitingCells = message.waiting
      this.#wake.ring()
    }
    if (message.kind === 'wanted' && message.to === incarnation) this.#turns.wanted(message.groups)
    if (message.kind === 'move' && message.to === incarnation) {
      this.#parts.routes?.movedAway(message.cells)
      this.#giving.moveAway(message.cells, message.force)
    }
    if (message.kind === 'spare' && message.to === incarnation) {
      const spare = this.#spare.pick(message.groups)
      this.#giving.giveBack(site => spare.has(site))
    }
    if (message.kind === 'visit') {
      this.#turns.wanted(message.groups)
      this.#parts.routes?.visited(message.groups)
    }
    if (message.kind === 'inbox') this.#hearRows(message.cells)
    if (message.kind === 'yours' && message.to === incarnation) this.#hearRows(message.cells)
    if (message.kind === 'routes' && this.#parts.routes !== null) this.#pulse.hurry()
    if (message.kind === 'ended') this.#pulse.hurry()
  }

  #hearRows(cells: readonly CellId[]): void {
    const { shards, routes } = this.#parts
    const others = this.#inboxes.heard(cells)
    if (others.length === 0 || (shards === null && routes === null)) return
    shards?.taker.lookAgain()
    routes?.heard(others)
    this.#wake.ring()
  }

  /** Notices lost cells, new rows, new leases and the end. */
  #take(beat: Heartbeat): void {
    const { shards, routes, splitter } = this.#parts
    const lost = this.#holdings.compare(beat)
    if (lost.length > 0) this.lost(lost)
    this.#inboxes.counted(beat)
    if (!beat.crawlOpen) this.#ended = true
    this.#slices.waitingCells = beat.waiting
    shards?.taker.tend(beat.waiting, this.#holdings.cells(), which => this.#giving.giveBack(which))
    routes?.heed(beat, () => this.#wake.ring())
    this.#gatherMs = beat.share > 0 ? LIMITS.gatherMsPerAgent / beat.share : 0
    this.#tendBudget()
    this.#isAlone = beat.share >= 1
    if (!this.#isAlone) this.#probe.look()
    this.#wake.ring()
    this.#checkpoint.heed(beat.settings)
    splitter.heed(!this.#isAlone)
    this.#parts.onHeartbeat(beat)
  }

  #word() {
    const { counters, waitingFor } = this.#parts
    const lanes = this.#offer.status()
    return wordOf(counters, lanes, this.#siteLoad(), this.#probe.peers, waitingFor(), this.#checkpoint.done)
  }

  /** Sites that are being opened have something to do. Alone there is nobody to share with. */
  #siteLoad(): SiteLoad {
    if (this.#isAlone) return { busySites: 0, spareGroups: 0 }
    const { busySites, spareGroups } = this.#spare.load()
    return { busySites: busySites + this.#holdings.opening, spareGroups }
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
