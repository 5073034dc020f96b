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
  /** Aborts requests that must not go on to their end. */
  readonly requestAbort = new RequestAbort()
  /** Notified when there may be something to do again. */
  readonly wake: WakeUp
  readonly #lanes: LaneCount
  #mode: SiteMode = { is: 'crawling' }
  #inFlight = 0
  #robotsInFlight = 0
  #unsettled = 0
  #isForced = false
  #released: Promise<unknown> | null = null
  #uncommitted = 0
  #lastPack: number
  #cursor: number
  #inboxDirty = true
  #appendedSeen: number
  #idle = false
  /** Connections that wait long for their turn. */
  #farOff = 0
  #hasLane = true
  #lane: number
  #answered: boolean
  readonly #answeredBy = { http: false, https: false }
  #pages = 0
  #failures: number
  #visits = 0
  #list: UrlList | null = null
  #stalled: FrontierEntry | null = null
  #setAside = 0
  #sitemapsDue = true
  #connections = 0

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
    this.#failures = parts.failures ?? 0
    this.#answered = parts.answered ?? false
    this.#lastPack = parts.lease.lastPack
    this.#cursor = parts.lease.cursor
    this.#appendedSeen = parts.lease.appended
    this.#lanes = parts.lanes
    this.#lane = parts.lanes.take(parts.lease.lane)
  }

  /** True for URLs of its site that are of this cell. */
  holds(url: string): boolean {
    return this.#part === null || this.#part(url)
  }

  // The queue, and the connections that work on it.

  get mode(): SiteMode {
    return this.#mode
  }

  get lost(): boolean {
    return this.#mode.is === 'leaving' && this.#mode.to === 'lost'
  }

  /** No new request is sent, and whoever waits for the turn of this site stops waiting. */
  leave(to: Leave, until: Millis = 0, why = ''): void {
    if (this.lost) return
    this.#mode = { is: 'leaving', to, until, why: forDisplay(why) }
    this.pace.giveUp()
  }

  giveUp(because: OutcomeCode, detail: string): void {
    if (this.#mode.is === 'crawling') this.#mode = { is: 'giving-up', because, detail }
  }

  /** Connections at work on this site. */
  get connections(): number {
    return this.#connections
  }

  connectionBegan(): void {
    this.#connections++
  }

  connectionEnded(): void {
    this.#connections--
  }

  /** Under `phases`: the URLs that may be requested now; null elsewhere. */
  get list(): UrlList | null {
    return this.#list
  }

  listBegan(list: UrlList): void {
    this.#list = list
  }

  listEnded(): void {
    this.#list = null
  }

  /** True if this URL is the last one that was queued for another try. */
  isStalled(entry: FrontierEntry): boolean {
    return this.#stalled === entry
  }

  queuedAgain(entry: FrontierEntry): void {
    this.#stalled = entry
  }

  /** URLs set aside because their origin must wait for its robots.txt while others of the site go on. */
  get setAside(): number {
    return this.#setAside
  }

  urlSetAside(): void {
    this.#setAside++
  }

  /** The origins' robots.txt may name sitemaps that are not queued yet. True at the start of a lease. */
  get sitemapsDue(): boolean {
    return this.#sitemapsDue
  }

  robotsRead(): void {
    this.#sitemapsDue = true
  }

  sitemapsOffered(): void {
    this.#sitemapsDue = false
  }

  // Requests, and what came of them.

  /** Visits under way, robots procedures not included. */
  get inFlight(): number {
    return this.#inFlight
  }

  get robotsInFlight(): number {
    return this.#robotsInFlight
  }

  /** Visits that have not come to their outcome yet: on the wire, or waiting for room in the pack. */
  get unfinished(): number {
    return this.#inFlight + this.#unsettled
  }

  /** True while a request is on the wire, robots.txt included. */
  get isRequesting(): boolean {
    return this.#inFlight + this.#robotsInFlight > 0
  }

  /** Visits under this lease. */
  get visits(): number {
    return this.#visits
  }

  requestBegan(): void {
    this.#inFlight++
    this.#visits++
  }

  requestEnded(): void {
    this.#inFlight--
  }

  robotsBegan(): void {
    this.#robotsInFlight++
  }

  robotsEnded(): void {
    this.#robotsInFlight--
  }

  /** A response waits for room in the pack. */
  roomAwaited(): void {
    this.#unsettled++
  }

  roomFound(): void {
    this.#unsettled--
  }

  /** True once the site has ever answered: a site that never did is given up, one that did is parked. */
  get answered(): boolean {
    return this.#answered
  }

  /** True if the site answered over this scheme under this lease. */
  hasAnsweredBy(scheme: 'http' | 'https'): boolean {
    return this.#answeredBy[scheme]
  }

  answeredOver(scheme: 'http' | 'https'): void {
    this.#answered = true
    this.#answeredBy[scheme] = true
  }

  /** Pages that came under this lease. */
  get pages(): number {
    return this.#pages
  }

  pageCame(): void {
    this.#pages++
  }

  /** Failures in a row, those of earlier leases included. */
  get failures(): number {
    return this.#failures
  }

  failed(): void {
    this.#failures++
  }

  recovered(): void {
    this.#failures = 0
  }

  // The inbox.

  /** Inbox rows up to this position are in the queue. */
  get cursor(): number {
    return this.#cursor
  }

  /** There may be rows past the cursor. */
  get inboxDirty(): boolean {
    return this.#inboxDirty
  }

  inboxGrew(): void {
    this.#inboxDirty = true
  }

  /** A read of the inbox begins: rows that arrive after this need another one. */
  inboxReadBegan(): void {
    this.#inboxDirty = false
  }

  inboxRowsTaken(position: number): void {
    this.#cursor = position
  }

  /** Takes the ledger's count of inbox rows; true if it differs from the count seen last. */
  countedInbox(appended: number): boolean {
    if (appended === this.#appendedSeen) return false
    this.#appendedSeen = appended
    return true
  }

  // Packs, and the end of the lease.

  /** Packs, open or under way, that hold something of this cell. */
  get uncommitted(): number {
    return this.#uncommitted
  }

  /** Number of the last committed pack. */
  get lastPack(): number {
    return this.#lastPack
  }

  joinedPack(): void {
    this.#uncommitted++
  }

  droppedFromPack(): void {
    this.#uncommitted--
  }

  packCommitted(): void {
    this.#lastPack++
    this.#uncommitted--
  }

  /** The cell is taken away because it did not go by itself; true the first time. */
  force(): boolean {
    const isFirst = !this.#isForced
    this.#isForced = true
    return isFirst
  }

  /**
   * The ledger's answer to a forced release. Until it is here the ledger may still list the lease, so the
   * cell stays in hand.
   */
  get released(): Promise<unknown> | null {
    return this.#released
  }

  releaseSent(answer: Promise<unknown>): void {
    this.#released = answer
  }

  /** The cell is released. */
  close(): void {
    this.setIdle(true)
    this.requestAbort.dispose()
    this.frontier.close()
  }

  // The lane.

  /** Nothing ready and nothing under way: the lane is free for another site. */
  get idle(): boolean {
    return this.#idle
  }

  setIdle(idle: boolean): void {
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

  #countLane(): void {
    const hasLane = !this.#idle && (this.#farOff === 0 || this.#farOff < this.#connections)
    if (hasLane === this.#hasLane) return
    this.#hasLane = hasLane
    if (hasLane) this.#lane = this.#lanes.take(this.#lane)
    else this.#lanes.giveBack(this.#lane)
  }
}
