/**
 * One agent: the crawl loop of one process. Read this first.
 *
 * The agent leases waiting cells, gives each to a lane, and lets the lane visit its URLs. What the lanes bring goes
 * into the open pack; the transmitter ships packs. A cell whose queue is empty and whose last pack is committed is
 * finished; when no cell is left anywhere, the crawl ends.
 */
import type { AgentView, Assignment } from '../assign/index.js'
import type { FinishReason, Heartbeat, Incarnation, Ledger, WaitingCell } from '../cluster/index.js'
import type { CellId, GroupId, Lease } from '../model/cell.js'
import type { Clock, Millis } from '../model/clock.js'
import { LIMITS } from '../model/limits.js'
import type { Admission } from './admission.js'
import type { Counters } from './counters.js'
import type { Lane } from './lane.js'
import type { PageBudget } from './page-budget.js'
import { HEARTBEAT_MS, LEASE_MS, Pulse } from './pulse.js'
import type { LaneCount, SiteCrawl } from './site-crawl.js'
import type { SiteDesk } from './site-desk.js'
import { SiteWork } from './site-work.js'
import type { Transmitter } from './transmitter.js'
import { Wake } from './wake.js'

/** Cells of S that are looked at, at least: some may have to wait. */
const LEAST_LOOK = 100
/** A turn that another agent holds is asked for again after this. */
const TURN_LOOK_MS = 5_000
/**
 * A lane gives its site back after this many visits when other sites wait; a large site after visits for this share of
 * its URLs, because it has to be rebuilt when its turn comes again.
 */
const SLICE_VISITS = 2_000
const SLICE_SHARE = 1 / 4

export interface AgentParts {
  readonly name: string
  readonly clock: Clock
  readonly ledger: Ledger
  readonly incarnation: Incarnation
  readonly assignment: Assignment
  readonly desk: SiteDesk
  readonly lane: Lane
  readonly transmitter: Transmitter
  readonly admission: Admission
  readonly budget: PageBudget
  readonly counters: Counters
  readonly lanes: number
  readonly laneCount: LaneCount
  /** The least pause between two requests to a site, as set now. */
  readonly leastDelayMs: () => Millis
  /** A site with nothing to do for longer than this is parked. */
  readonly maxWaitMs: Millis
  /** Aborted by `stop`: lanes send nothing more. */
  readonly stopping: AbortController
  /** Why nothing is being fetched, for those who look from outside. */
  readonly waitingFor: () => string
  /** Sees every heartbeat: settings may have changed. */
  readonly onHeartbeat: (beat: Heartbeat) => void
}

export type AgentEnd = FinishReason | 'stopped'

export class Agent {
  readonly #parts: AgentParts
  readonly #sites = new Map<CellId, SiteCrawl>()
  readonly #wake: Wake
  readonly #work: SiteWork
  readonly #pulse: Pulse
  /** Leased, but not yet in `#sites`. */
  #opening = 0
  #waitingCells = 1
  #failure: Error | null = null

  constructor(parts: AgentParts) {
    this.#parts = parts
    this.#wake = new Wake(parts.clock)
    const { signal } = parts.stopping
    this.#work = new SiteWork({ ...parts, signal }, site => this.endsSlice(site))
    this.#pulse = new Pulse({
      ...parts,
      signal,
      status: () => JSON.stringify({ ...parts.counters, waiting: parts.waitingFor() }),
      onBeat: beat => this.#take(beat),
      onFailure: error => this.fail(error),
      onPause: () => parts.transmitter.poke(),
    })
  }

  get sites(): ReadonlyMap<CellId, SiteCrawl> {
    return this.#sites
  }

  async run(): Promise<AgentEnd> {
    const { transmitter, stopping } = this.#parts
    const beating = this.#pulse.run()
    try {
      for (;;) {
        await this.#takeCells()
        const end = await this.#endOfCrawl()
        if (end) return end
        if (stopping.signal.aborted) break
        await this.#wake.wait(HEARTBEAT_MS)
        if (this.#failure) throw this.#failure
      }
      await this.#quiet()
      await transmitter.seal()
      if (this.#failure) throw this.#failure
      return 'stopped'
    } finally {
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
    for (const cell of targets) {
      const site = this.#sites.get(cell)
      if (site) {
        site.inboxDirty = true
        site.wake.ring()
      } else this.#waitingCells++
    }
    if (targets.size > 0) this.#wake.ring()
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

  async #takeCells(): Promise<void> {
    const { ledger, assignment, incarnation, budget, stopping, leastDelayMs } = this.#parts
    if (budget.exhausted && this.#sites.size > 0) return
    const free = this.#freeLanes()
    if (free <= 0 || this.#waitingCells === 0 || stopping.signal.aborted) return
    this.#waitingCells = 0
    const limit = Math.max(free, LEAST_LOOK)
    const waiting = await ledger.waiting(limit, incarnation)
    const near = await this.#deferFarOff(waiting)
    if (waiting.length === limit) this.#waitingCells = 1
    if (near.length === 0) return
    const wanted = assignment.assign(near, [this.#view(free)]).get(incarnation) ?? []
    if (wanted.length < near.length) this.#waitingCells = 1
    const leases = await ledger.grant(incarnation, wanted, LEASE_MS, leastDelayMs())
    // Not waited for: a name that is slow to look up holds nobody else up.
    for (const lease of leases) void this.#open(lease).catch(error => this.fail(error as Error))
  }

  #view(freeLanes: number): AgentView {
    const { name, incarnation, lanes, laneCount } = this.#parts
    return { name, incarnation, lanes, freeLanes, busyLanes: laneCount.numbers(), capacity: 1 }
  }

  /** Sites of a group that has enough of them in hand are not opened: they would only stand in line. */
  async #deferFarOff(waiting: readonly WaitingCell[]): Promise<readonly WaitingCell[]> {
    const { desk, ledger } = this.#parts
    const deferred: { cell: CellId; until: Millis }[] = []
    const inLine = new Map<GroupId, number>()
    const near = waiting.filter(({ cell, group }) => {
      const backlog = desk.backlogOf(group)
      if (backlog === null) return true
      const before = inLine.get(group) ?? 0
      inLine.set(group, before + 1)
      deferred.push({ cell, until: backlog.until + before * backlog.spacingMs })
      return false
    })
    if (deferred.length > 0) {
      await ledger.defer(deferred)
      this.#wake.ring()
    }
    return near
  }

  async #open(lease: Lease): Promise<void> {
    const { desk, ledger, clock } = this.#parts
    this.#opening++
    try {
      const site = await desk.open(lease)
      if (site === null) {
        await ledger.rest(lease.cell, lease.epoch, clock.now() + TURN_LOOK_MS)
        return
      }
      this.#sites.set(site.cell, site)
      void this.#crawl(site).catch(error => this.fail(error as Error))
    } finally {
      this.#opening--
    }
  }

  async #crawl(site: SiteCrawl): Promise<void> {
    await this.#work.run(site)
    if (site.mode.is === 'leaving' && site.mode.to === 'slice') this.#waitingCells++
    this.#sites.delete(site.cell)
    this.#parts.desk.close(site)
    this.#wake.ring()
  }

  /** A site waits long for its turn: true when it has to do so in the ledger, because many others do here. */
  lendsLane(): boolean {
    if (this.#waitingCells === 0) return false
    this.#wake.ring()
    return this.#sites.size >= this.#parts.lanes + LIMITS.sitesInWait
  }

  /** When others wait, a site that has had its slice lets them have its lane. Asked after every visit. */
  endsSlice(site: SiteCrawl): boolean {
    if (site.visits < SLICE_VISITS) return site.mode.is === 'leaving'
    const crowded = this.#waitingCells > 0 && this.#freeLanes() <= 0
    const hadShare = site.visits >= site.frontier.known * SLICE_SHARE
    if (crowded && hadShare && site.mode.is === 'crawling' && !site.frontier.isEmpty) site.leave('slice')
    return site.mode.is === 'leaving'
  }

  #freeLanes(): number {
    const { lanes, laneCount } = this.#parts
    // Who finds no room here rests in the ledger, and lets us look at the next.
    const room = 2 * lanes + LIMITS.sitesInWait - this.#sites.size
    return Math.min(lanes - laneCount.busy, room) - this.#opening
  }

  async #endOfCrawl(): Promise<FinishReason | null> {
    const { ledger, budget } = this.#parts
    if (this.#sites.size + this.#opening > 0 || this.#waitingCells > 0) return null
    const end = await ledger.tryEnd()
    if (end === null) {
      await budget.ask()
      this.#waitingCells = 1
    }
    return end
  }

  /** Notices lost cells and new rows. */
  #take(beat: Heartbeat): void {
    const held = new Map(beat.held.map(cell => [cell.cell, cell]))
    const lost: SiteCrawl[] = []
    for (const site of this.#sites.values()) {
      const row = held.get(site.cell)
      if (!row || row.epoch !== site.lease.epoch) lost.push(site)
      else if (row.appended !== site.appendedSeen) {
        site.appendedSeen = row.appended
        site.inboxDirty = true
        site.wake.ring()
      }
    }
    if (lost.length > 0) this.lost(lost)
    if (beat.waiting > 0) {
      this.#waitingCells = beat.waiting
      this.#wake.ring()
    }
    this.#parts.onHeartbeat(beat)
  }

  /** Waits until no lane is at work. */
  async #quiet(): Promise<void> {
    while (this.#sites.size + this.#opening > 0 && !this.#failure) {
      for (const site of this.#sites.values()) site.wake.ring()
      await this.#wake.wait(HEARTBEAT_MS)
    }
  }
}
