/**
 * One leased cell of an agent: its queue, its pace, its rules, and how much of its work is not committed yet.
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
import type { LaneCount } from './lane-count.js'
import type { OriginRobots } from './origin-robots.js'
import { SiteInbox } from './site-inbox.js'
import { SiteLane } from './site-lane.js'
import { SitePacks } from './site-packs.js'

/**
 * `crawling`: lanes take its URLs. `giving-up`: its URLs are refused without a request. `leaving`: no new
 * request.
 */
export type SiteMode =
  | { readonly is: 'crawling' }
  | { readonly is: 'giving-up'; readonly because: OutcomeCode; readonly detail: string }
  | { readonly is: 'leaving'; readonly to: Leave; readonly until: Millis; readonly why: string }

/** `split`: cells by path replace it. `park`: until the crawl is resumed. `rest`: until its turn is near. */
type Leave = 'slice' | 'split' | 'park' | 'rest' | 'stop' | 'lost'

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
  /** Which URLs of its site the cell holds; absent: all. */
  readonly part?: CellPart | null
  /** How long the rebuild from the journal took. */
  readonly rebuildMs?: Millis
}

export class SiteCrawl {
  readonly cell: CellId
  readonly site: Site
  readonly #part: CellPart | null
  readonly rebuildMs: Millis
  /** Cell and epoch, as packs name it: a cell may be lost and leased again while one pack fills. */
  readonly leaseKey: string
  readonly lease: Lease
  readonly frontier: CellFrontier
  readonly pace: SitePace
  readonly originRobots: OriginRobots
  readonly traps: SiteTraps
  readonly inbox: SiteInbox
  readonly packs: SitePacks
  readonly lane: SiteLane
  /** Aborts the requests of this site. */
  readonly requestAbort = new RequestAbort()
  /** Notified when there may be something to do again. */
  readonly wake: WakeUp
  #mode: SiteMode = { is: 'crawling' }
  #inFlight = 0
  #robotsInFlight = 0
  #unsettled = 0
  #isForced = false
  #released: Promise<unknown> | null = null
  #answered: boolean
  readonly #answeredBy = { http: false, https: false }
  #pages = 0
  #failures: number
  #visits = 0
  #list: UrlList | null = null
  #stalled: FrontierEntry | null = null
  #setAside = 0
  #sitemapsDue = true

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
    this.inbox = new SiteInbox(parts.lease)
    this.packs = new SitePacks(parts.lease)
    this.lane = new SiteLane(parts.lanes, parts.lease.lane)
  }

  /** True if this cell holds the URL, which is of its site. */
  holds(url: string): boolean {
    return this.#part === null || this.#part(url)
  }

  // The queue.

  get mode(): SiteMode {
    return this.#mode
  }

  get lost(): boolean {
    return this.#mode.is === 'leaving' && this.#mode.to === 'lost'
  }

  /** Sends no new request, and ends all waits for the turn of this site. */
  leave(to: Leave, until: Millis = 0, why = ''): void {
    if (this.lost) return
    this.#mode = { is: 'leaving', to, until, why: forDisplay(why) }
    this.pace.giveUp()
  }

  giveUp(because: OutcomeCode, detail: string): void {
    if (this.#mode.is === 'crawling') this.#mode = { is: 'giving-up', because, detail }
  }

  /** Under `phases`: the URLs that may be requested now; null with all other assignments. */
  setList(list: UrlList | null): void {
    this.#list = list
  }

  /** True if the list of URLs that may be requested now has none left. */
  get isListOver(): boolean {
    return this.#list?.isOver ?? false
  }

  /** The next URL that is due; null if there is none. */
  nextDue(now: Millis): FrontierEntry | null {
    // One good page ends a row of failures: it is more likely among URLs that have not failed yet.
    const entry = this.frontier.next(now, this.#failures > 1)
    if (entry !== null) this.#list?.begin(entry)
    return entry
  }

  /** The visit of the URL is over. */
  visited(entry: FrontierEntry): void {
    this.#list?.end(entry, this.#stalled === entry)
  }

  queuedAgain(entry: FrontierEntry): void {
    this.#stalled = entry
  }

  /** URLs set aside because their origin waits for its robots.txt; other origins of the site go on. */
  get setAside(): number {
    return this.#setAside
  }

  urlSetAside(): void {
    this.#setAside++
  }

  /** True if robots.txt files may name sitemaps that are not queued yet, as at the start of a lease. */
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

  /** Requests on the wire, robots procedures not included. */
  get inFlight(): number {
    return this.#inFlight
  }

  /** Visits without an outcome yet: on the wire, or waiting for room in the pack. */
  get unfinished(): number {
    return this.#inFlight + this.#unsettled
  }

  /** True while a request is on the wire, robots procedures included. */
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

  /** Waits with a response until the pack may have room; its visit counts as unfinished meanwhile. */
  async awaitRoom(shipped: Promise<void>): Promise<void> {
    this.#unsettled++
    await shipped
    this.#unsettled--
  }

  /** True if the site has ever answered: it is parked when it fails; a site that never did is given up. */
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

  /** Pages fetched under this lease. */
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

  // The end of the lease.

  /** The cell is taken away by force; true the first time. */
  force(): boolean {
    const isFirst = !this.#isForced
    this.#isForced = true
    return isFirst
  }

  /**
   * The ledger's answer to a forced release. Keep the cell until the answer comes: the ledger may still list
   * the lease.
   */
  get released(): Promise<unknown> | null {
    return this.#released
  }

  releaseSent(answer: Promise<unknown>): void {
    this.#released = answer
  }

  /** The cell is released. */
  close(): void {
    this.lane.setIdle(true)
    this.requestAbort.dispose()
    this.frontier.close()
  }
}
