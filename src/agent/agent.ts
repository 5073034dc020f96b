/**
 * One agent: the crawl loop of one process. Read this first.
 *
 * The coordinator leases waiting cells to the agent; it gives each to a lane and lets the lane visit its URLs. What the
 * lanes bring goes into the open pack; the transmitter ships packs. A cell whose queue is empty and whose last pack is
 * committed is finished; when no cell is left anywhere, the coordinator ends the crawl.
 */
import type { Bus, BusMessage, Heartbeat, Incarnation, LaneStatus, Ledger } from '../cluster/index.js'
import type { CellId, Epoch, Lease } from '../model/cell.js'
import type { Clock, Millis } from '../model/clock.js'
import { LIMITS } from '../model/limits.js'
import { Wake } from '../model/wake.js'
import type { Admission } from './admission.js'
import type { Counters } from './counters.js'
import type { Lane } from './lane.js'
import type { PageBudget } from './page-budget.js'
import { PeerProbe } from './peer-probe.js'
import { HEARTBEAT_MS, Pulse } from './pulse.js'
import type { LaneCount, SiteCrawl } from './site-crawl.js'
import type { SiteDesk } from './site-desk.js'
import { SiteWork } from './site-work.js'
import type { Tenure } from './tenure.js'
import type { Transmitter } from './transmitter.js'

/** A turn that another agent holds is asked for again after this. */
const TURN_LOOK_MS = 5_000
/**
 * A lane gives its site back after this many visits when other sites wait; a large site after visits for this share of
 * its URLs, because it has to be rebuilt when its turn comes again.
 */
const SLICE_VISITS = 2_000
const SLICE_SHARE = 1 / 4

export interface AgentParts {
  readonly clock: Clock
  readonly ledger: Ledger
  readonly bus: Bus
  readonly incarnation: Incarnation
  readonly desk: SiteDesk
  readonly lane: Lane
  readonly transmitter: Transmitter
  readonly admission: Admission
  readonly budget: PageBudget
  readonly counters: Counters
  readonly tenure: Tenure
  readonly leaseMs: Millis
  readonly lanes: number
  readonly laneCount: LaneCount
  /** A site with nothing to do for longer than this is parked. */
  readonly maxWaitMs: Millis
  /** Off, a lane keeps its site to the end. */
  readonly slices: boolean
  /** What is left of this machine for more sites: of lanes at work, how many are too many, and a figure (D13). */
  readonly capacity: () => { readonly lanes: number; readonly capacity: number }
  /** Aborted by `stop`: lanes send nothing more. */
  readonly stopping: AbortController
  /** Why nothing is being fetched, for those who look from outside. */
  readonly waitingFor: () => string
  /** Sees every heartbeat: settings may have changed. */
  readonly onHeartbeat: (beat: Heartbeat) => void
}

/** `ended`: the crawl is closed, the ledger says why. */
export type AgentEnd = 'ended' | 'stopped'

export class Agent {
  readonly #parts: AgentParts
  readonly #sites = new Map<CellId, SiteCrawl>()
  /** Cells in hand, until the last of their work is over. */
  readonly #working = new Map<CellId, Promise<void>>()
  readonly #wake: Wake
  readonly #work: SiteWork
  readonly #pulse: Pulse
  readonly #probe: PeerProbe
  /** Leased, but not yet in `#sites`. */
  readonly #opening = new Set<Lease>()
  /** The last grant that we know of, and whether there may be more. */
  #seen = 0
  #leasesDue: 'none' | 'new' | 'all' = 'new'
  #told = ''
  #words = 0
  #waitingCells = 1
  #ended = false
  #failure: Error | null = null

  constructor(parts: AgentParts) {
    this.#parts = parts
    this.#wake = new Wake(parts.clock)
    const { signal } = parts.stopping
    this.#probe = new PeerProbe(parts.clock, parts.bus, parts.incarnation)
    this.#work = new SiteWork(
      { ...parts, signal },
      site => this.endsSlice(site),
      () => parts.laneCount.busy > 0 && this.#sites.size <= parts.lanes,
    )
    this.#pulse = new Pulse({
      ...parts,
      signal,
      status: () => ({
        ...parts.counters,
        ...this.#laneStatus(),
        peers: this.#probe.peers,
        waiting: parts.waitingFor(),
      }),
      onBeat: (beat, seen) => this.#take(beat, seen),
      onFailure: error => this.fail(error),
      onPause: () => parts.transmitter.poke(),
    })
  }

  get sites(): ReadonlyMap<CellId, SiteCrawl> {
    return this.#sites
  }

  async run(): Promise<AgentEnd> {
    const { transmitter, stopping, bus } = this.#parts
    const deaf = bus.listen(message => this.#hear(message))
    const beating = this.#pulse.run()
    try {
      for (;;) {
        await this.#takeLeases()
        if (this.#ended || stopping.signal.aborted) break
        this.#offerLanes()
        await this.#wake.wait(HEARTBEAT_MS)
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
    }
  }

  /** Seals what there is and ends; what is queued stays queued. */
  stop(): void {
    this.#parts.stopping.abort()
    for (const site of this.#sites.values()) site.wake.ring()
    this.#wake.ring()
  }

  fail(error: Error): void {
    this.#failure ??= error
    this.stop()
  }

  /** After a commit: cells may be finished now, and cells that gained rows have something to read. */
  committed(sites: readonly SiteCrawl[], targets: ReadonlySet<CellId>): void {
    for (const site of sites) site.wake.ring()
    const others = [...targets].filter(cell => !this.#hasRows(cell))
    if (others.length === 0) return
    this.#parts.bus.send({ kind: 'inbox', cells: others })
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
    for (const site of this.#sites.values()) {
      if (site.mode.is !== 'crawling') continue
      site.leave('slice')
      site.wake.ring()
    }
  }

  /** A site waits long for its turn: true when it has to do so in the ledger, because many others do here. */
  lendsLane(): boolean {
    if (this.#waitingCells === 0) return false
    this.#wake.ring()
    return this.#sites.size >= this.#parts.lanes + LIMITS.sitesInWait
  }

  /** When others wait, a site that has had its slice lets them have its lane. Asked after every visit. */
  endsSlice(site: SiteCrawl): boolean {
    if (site.visits < SLICE_VISITS || !this.#parts.slices) return site.mode.is === 'leaving'
    const crowded = this.#waitingCells > 0 && this.#freeLanes() <= 0
    const hadShare = site.visits >= site.frontier.known * SLICE_SHARE
    if (crowded && hadShare && site.mode.is === 'crawling' && !site.frontier.isEmpty) site.leave('slice')
    return site.mode.is === 'leaving'
  }

  /** Opens what was granted since we last looked. */
  async #takeLeases(): Promise<void> {
    const { ledger, incarnation, stopping } = this.#parts
    while (this.#leasesDue !== 'none' && !stopping.signal.aborted) {
      const after = this.#leasesDue === 'new' ? this.#seen : 0
      this.#leasesDue = 'none'
      const leases = await ledger.leases(incarnation, after)
      for (const lease of leases) {
        this.#seen = Math.max(this.#seen, lease.grant)
        if (this.#hasInHand(lease.cell, lease.epoch)) continue
        // Not waited for: a name that is slow to look up holds nobody else up.
        void this.#open(lease).catch(error => this.fail(error as Error))
      }
    }
  }

  #hasInHand(cell: CellId, epoch: Epoch): boolean {
    if (this.#sites.get(cell)?.lease.epoch === epoch) return true
    for (const lease of this.#opening) if (lease.cell === cell && lease.epoch === epoch) return true
    return false
  }

  async #open(lease: Lease): Promise<void> {
    const { desk, ledger, clock } = this.#parts
    const { cell, epoch } = lease
    this.#opening.add(lease)
    try {
      await this.#endOld(cell)
      // A group that has enough of its sites in hand: one more would only stand in line.
      const backlog = desk.backlogOf(cell)
      const site = backlog === null ? await desk.open(lease) : null
      if (site === null) {
        await ledger.rest(cell, epoch, backlog?.until ?? clock.now() + TURN_LOOK_MS)
        return
      }
      // It may have been lost, and leased to us again, while it was being opened.
      if (this.#isSuperseded(lease)) {
        desk.close(site)
        return
      }
      await this.#endOld(cell)
      this.#sites.set(cell, site)
      const working = this.#crawl(site).catch(error => this.fail(error as Error))
      this.#working.set(cell, working)
    } finally {
      this.#opening.delete(lease)
      this.#wake.ring()
    }
  }

  /** Lost, and ours again: the work under the old lease ends first. */
  async #endOld(cell: CellId): Promise<void> {
    const old = this.#sites.get(cell)
    if (old) this.lost([old])
    await this.#working.get(cell)
  }

  /** True when this cell is in hand, or about to be, under a later lease. */
  #isSuperseded({ cell, epoch }: Lease): boolean {
    if ((this.#sites.get(cell)?.lease.epoch ?? 0) > epoch) return true
    for (const other of this.#opening) if (other.cell === cell && other.epoch > epoch) return true
    return false
  }

  async #crawl(site: SiteCrawl): Promise<void> {
    await this.#work.run(site)
    if (site.mode.is === 'leaving' && site.mode.to === 'slice') this.#waitingCells++
    this.#sites.delete(site.cell)
    this.#working.delete(site.cell)
    this.#parts.desk.close(site)
    // Nobody is left here who could have links for those that linger.
    if (this.#parts.laneCount.busy === 0) for (const other of this.#sites.values()) other.wake.ring()
    this.#wake.ring()
  }

  /** Tells the coordinator what has changed; it looks for itself with every heartbeat. */
  #offerLanes(): void {
    const status = this.#laneStatus()
    const words = `${status.free} ${status.held} ${status.seen}`
    if (words === this.#told) return
    this.#told = words
    this.#parts.bus.send({ kind: 'free', from: this.#parts.incarnation, status })
  }

  #laneStatus(): LaneStatus {
    const { budget, laneCount, stopping, capacity } = this.#parts
    const isDone = stopping.signal.aborted || budget.exhausted
    return {
      at: ++this.#words,
      seen: this.#seen,
      free: isDone ? 0 : Math.max(0, this.#freeLanes()),
      held: this.#sites.size + this.#opening.size,
      busyLanes: laneCount.numbers(),
      capacity: capacity().capacity,
    }
  }

  #freeLanes(): number {
    const { lanes, laneCount, capacity } = this.#parts
    // Who finds no room here rests in the ledger, and lets us look at the next.
    const room = 2 * lanes + LIMITS.sitesInWait - this.#sites.size
    return Math.min(capacity().lanes - laneCount.busy, room) - this.#opening.size
  }

  #hear(message: BusMessage): void {
    this.#probe.hear(message)
    if (message.kind === 'leases' && message.to === this.#parts.incarnation) {
      if (this.#leasesDue === 'none') this.#leasesDue = 'new'
      this.#waitingCells = message.waiting
      this.#wake.ring()
    }
    if (message.kind === 'inbox') for (const cell of message.cells) this.#hasRows(cell)
    if (message.kind === 'ended') this.#pulse.hurry()
  }

  /** True when the cell is in our hands. */
  #hasRows(cell: CellId): boolean {
    const site = this.#sites.get(cell)
    if (!site) return false
    site.inboxDirty = true
    site.wake.ring()
    return true
  }

  /** Notices lost cells, new rows, new leases and the end. */
  #take(beat: Heartbeat, seen: number): void {
    const held = new Map(beat.held.map(cell => [cell.cell, cell]))
    const lost: SiteCrawl[] = []
    for (const site of this.#sites.values()) {
      const row = held.get(site.cell)
      // What was granted while the beat was under way is not in its answer.
      if (site.lease.grant > seen) continue
      if (!row || row.epoch !== site.lease.epoch) lost.push(site)
      else if (row.appended !== site.appendedSeen) {
        site.appendedSeen = row.appended
        this.#hasRows(site.cell)
      }
    }
    if (lost.length > 0) this.lost(lost)
    if (beat.held.some(({ cell, epoch }) => !this.#hasInHand(cell, epoch))) this.#leasesDue = 'all'
    if (!beat.crawlOpen) this.#ended = true
    this.#waitingCells = beat.waiting
    this.#tendBudget()
    // Alone there is nobody to ask.
    if (beat.share < 1) this.#probe.look()
    this.#wake.ring()
    this.#parts.onHeartbeat(beat)
  }

  /** Who has no page left asks again, who needs none gives them back. */
  #tendBudget(): void {
    const { budget } = this.#parts
    const isIdle = this.#sites.size + this.#opening.size === 0
    if (budget.exhausted) void budget.ask().catch(error => this.fail(error as Error))
    else if (isIdle) void budget.release().catch(error => this.fail(error as Error))
  }

  /** Waits until no lane is at work. */
  async #quiet(): Promise<void> {
    while (this.#sites.size + this.#opening.size > 0 && !this.#failure) {
      for (const site of this.#sites.values()) site.wake.ring()
      await this.#wake.wait(HEARTBEAT_MS)
    }
  }
}
