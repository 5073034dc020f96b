/**
 * One leased cell in an agent's hands: its queue, its pace, its rules, and what of it is not yet committed.
 */

import {
  type CellId,
  type CellPart,
  forDisplay,
  type Lease,
  type Millis,
  type OutcomeCode,
  siteOfCell,
  type WakeUp,
} from '../../../model/index.js'
import type { Site } from '../../../model/url/index.js'
import type { CellFrontier, FrontierEntry } from '../../../page/frontier/index.js'
import type { SiteTraps } from '../../../page/frontier/traps/index.js'
import { RequestAbort, type SitePace } from '../../../page/politeness/index.js'
import type { UrlList } from './bucket-dispatcher.js'
import type { OriginRobots } from './origin-robots.js'

/**
 * `crawling`: lanes may take its URLs. `giving-up`: its queue is settled unasked. `leaving`: no new request.
 */
export type SiteMode =
  | { readonly is: 'crawling' }
  | { readonly is: 'giving-up'; readonly because: OutcomeCode; readonly detail: string }
  | { readonly is: 'leaving'; readonly to: Leave; readonly until: Millis; readonly why: string }

/**
 * `split`: cells by path take its place. `park`: until the crawl is resumed. `rest`: until its turn is near.
 */
type Leave = 'slice' | 'split' | 'park' | 'rest' | 'stop' | 'lost'

/**
 * Lanes at work, of all sites in hand. Each has a number, from 1. A site keeps the number of its lane: when
 * it comes back to work and another has taken its place, the two share it.
 */
export class LaneCount {
  busy = 0
  readonly #lanes: number
  /** Sites at each number, up to the highest that was needed; 0 is none. */
  readonly #sites: number[] = [Number.POSITIVE_INFINITY]

  constructor(lanes: number) {
    this.#lanes = lanes
  }

  /** `wanted` is 0 where any will do: then it is the lowest that is free, or shared by the fewest. */
  take(wanted: number): number {
    this.busy++
    const lane = wanted > 0 ? wanted : this.#freest()
    while (this.#sites.length <= lane) this.#sites.push(0)
    this.#sites[lane]++
    return lane
  }

  #freest(): number {
    const free = this.#sites.indexOf(0)
    if (free > 0) return free
    if (this.#sites.length <= this.#lanes) return this.#sites.length
    return this.#sites.indexOf(Math.min(...this.#sites))
  }

  giveBack(lane: number): void {
    this.busy--
    this.#sites[lane]--
  }

  /** Of the lanes at work. */
  numbers(): number[] {
    const atWork: number[] = []
    for (let lane = 1; lane < this.#sites.length; lane++) if (this.#sites[lane] > 0) atWork.push(lane)
    return atWork
  }
}

export interface SiteParts {
  readonly lease: Lease
  readonly frontier: CellFrontier
  readonly traps: SiteTraps
  readonly pace: SitePace
  readonly originRobots: OriginRobots
  readonly lanes: LaneCount
  /** Failures in a row at the end of the last lease. */
  readonly failures?: number
  /** The site has answered before this lease. */
  readonly answered?: boolean
  /** Which URLs of its site it holds; all, where it is not told. */
  readonly part?: CellPart | null
  /** What it took to make its queue out of its journal. */
  readonly rebuildMs?: Millis
}

export class SiteCrawl {
  readonly cell: CellId
  readonly site: Site
  readonly #part: CellPart | null
  readonly rebuildMs: Millis
  /** Cell and epoch: what a pack calls it by. A cell may be lost and leased again while one pack fills. */
  readonly leaseKey: string
  readonly lease: Lease
  readonly frontier: CellFrontier
  readonly pace: SitePace
  readonly originRobots: OriginRobots
  readonly traps: SiteTraps
  mode: SiteMode = { is: 'crawling' }
  /** Visits under way, and robots procedures. */
  inFlight = 0
  robotsInFlight = 0
  /** Responses that wait for room in the pack. */
  unsettled = 0
  /** What ends them before their time. */
  readonly requestAbort = new RequestAbort()
  /** True once it was taken away, because it did not go by itself. */
  forced = false
  /**
   * The answer to a forced release. Until it is here the ledger may still list the lease, so the cell stays
   * in hand.
   */
  released: Promise<unknown> | null = null
  /** Packs, open or under way, that hold something of this cell. */
  uncommitted = 0
  /** Number of the last committed pack. */
  lastPack: number
  /** Inbox rows up to here were taken into the queue. */
  cursor: number
  /** The ledger says there may be rows past the cursor. */
  inboxDirty = true
  /** The ledger's count of inbox rows when it was leased, or at the last heartbeat. */
  appendedSeen: number
  readonly #lanes: LaneCount
  #idle = false
  /** Connections that wait long for their turn. */
  #farOff = 0
  #hasLane = true
  #lane: number
  /** Rung when there may be something to do again. */
  readonly wake: WakeUp
  /**
   * True once the site has answered anything, ever: a site that never did is given up, one that did is
   * parked.
   */
  answered: boolean
  /** Under this lease: one of the two may be shut while the other answers. */
  readonly answeredBy = { http: false, https: false }
  /** Pages that came under this lease. */
  pages = 0
  /** Failures in a row, those of the leases before included. */
  failures: number
  visits = 0
  /** Under `phases`: what may be asked for now, and no more. */
  list: UrlList | null = null
  /** The URL that was last found to need another try. */
  stalled: FrontierEntry | null = null
  /** URLs whose origin must wait for its robots.txt while others of the site go on. */
  setAside = 0
  /**
   * The origins' robots.txt may name sitemaps that are not queued yet: after a look at one, and after every
   * lease.
   */
  sitemapsDue = true
  /** Connections at work on this site. */
  loops = 0

  constructor(parts: SiteParts, wake: WakeUp) {
    this.wake = wake
    this.cell = parts.lease.cell
    this.site = siteOfCell(parts.lease.cell)
    this.#part = parts.part ?? null
    this.rebuildMs = parts.rebuildMs ?? 0
    this.leaseKey = `${parts.lease.cell} ${parts.lease.epoch}`
    this.lease = parts.lease
    this.frontier = parts.frontier
    this.traps = parts.traps
    this.pace = parts.pace
    this.originRobots = parts.originRobots
    this.failures = parts.failures ?? 0
    this.answered = parts.answered ?? false
    this.lastPack = parts.lease.lastPack
    this.cursor = parts.lease.cursor
    this.appendedSeen = parts.lease.appended
    this.#lanes = parts.lanes
    this.#lane = parts.lanes.take(parts.lease.lane)
  }

  /** True for URLs of its site that are of this cell. */
  holds(url: string): boolean {
    return this.#part === null || this.#part(url)
  }

  /** Nothing ready and nothing under way: the lane is free for another site. */
  get idle(): boolean {
    return this.#idle
  }

  set idle(idle: boolean) {
    this.#idle = idle
    this.#countLane()
  }

  /** The number of its lane, from 1; of the last one while it has none. */
  get lane(): number {
    return this.#lane
  }

  get hasLane(): boolean {
    return this.#hasLane
  }

  /** Waits for `turn`; all its connections waiting, the site's lane is free for another. */
  async farOff<T>(turn: Promise<T>): Promise<T> {
    this.#farOff++
    this.#countLane()
    const result = await turn
    this.#farOff--
    this.#countLane()
    return result
  }

  /** The cell is released. */
  close(): void {
    this.idle = true
    this.requestAbort.dispose()
    this.frontier.close()
  }

  get lost(): boolean {
    return this.mode.is === 'leaving' && this.mode.to === 'lost'
  }

  /** Who waits for the turn of this site need not wait any longer. */
  leave(to: Leave, until: Millis = 0, why = ''): void {
    if (this.lost) return
    this.mode = { is: 'leaving', to, until, why: forDisplay(why) }
    this.pace.giveUp()
  }

  giveUp(because: OutcomeCode, detail: string): void {
    if (this.mode.is === 'crawling') this.mode = { is: 'giving-up', because, detail }
  }

  #countLane(): void {
    const hasLane = !this.#idle && (this.#farOff === 0 || this.#farOff < this.loops)
    if (hasLane === this.#hasLane) return
    this.#hasLane = hasLane
    if (hasLane) this.#lane = this.#lanes.take(this.#lane)
    else this.#lanes.giveBack(this.#lane)
  }
}
