/** When a lane may send its request: its site's turn, its group's, and its share of the total rate. */

import {
  type Clock,
  type Exchange,
  LIMITS,
  type Millis,
  type StopSignal,
  sleep,
} from '../../../model/index.js'
import type { FetchResult } from '../../../page/fetch/index.js'
import {
  type Delay,
  delayAfter,
  type LeaseMargin,
  type Pause,
  type RateLimit,
} from '../../../page/politeness/index.js'
import { PAUSE_LOOK_MS } from '../../limits.js'
import type { SiteCrawl } from '../site/index.js'

/** Settings that may change while the crawl runs. */
export interface LaneSettings {
  delay: Delay
  /** A site with a longer Crawl-delay is not crawled. */
  maxCrawlDelayMs: Millis
  connectionsPerSite: number
  /** The user has paused the crawl, or the disk is nearly full. */
  paused: boolean
}

export interface LanePolitenessParts {
  readonly clock: Clock
  readonly rate: RateLimit
  readonly settings: LaneSettings
  readonly leaseMargin: LeaseMargin
  readonly maxWaitMs: Millis
  /** Called when a site waits long: true if it has to wait in the ledger, because many others wait here. */
  readonly lendsLane: () => boolean
  /** Aborts when the agent stops. */
  readonly signal: StopSignal
}

export class LanePoliteness {
  readonly #parts: LanePolitenessParts
  /** The last pause returned: most sites have the same, and share one object. */
  #usual: Pause = { ownMs: 0, groupMs: 0 }

  constructor(parts: LanePolitenessParts) {
    this.#parts = parts
  }

  /** The pause that a request reserves before its answer is known. */
  pauseOf(crawlDelayMs: Millis): Pause {
    return this.#pause(0, crawlDelayMs)
  }

  /** Why the Crawl-delay of a site is too long; empty if it is not. */
  tooLong(crawlDelayMs: Millis): string {
    const { maxCrawlDelayMs } = this.#parts.settings
    if (crawlDelayMs <= maxCrawlDelayMs) return ''
    return `Crawl-delay of ${crawlDelayMs / 1000} s, --max-crawl-delay is ${maxCrawlDelayMs / 1000} s`
  }

  /** True if the turn is far off, or sites of its group wait already: a group needs only one lane. */
  isFarOff(site: SiteCrawl): boolean {
    const now = this.#parts.clock.now()
    return site.pace.isShut || site.pace.expectedAt(now) - now > LIMITS.laneWaitMs || site.pace.isInLine(now)
  }

  /** Waits without a lane for a turn that is far off; false if the site is left, or the agent stops. */
  async farTurn(site: SiteCrawl, pause: Pause): Promise<boolean> {
    const { clock, maxWaitMs, lendsLane } = this.#parts
    const { pace } = site
    const now = clock.now()
    if (pace.waitUntil - now > maxWaitMs) site.leave('park', pace.waitUntil, pace.waitReason)
    else if (lendsLane()) site.leave('rest', pace.expectedAt(now))
    else return site.lane.farOff(pace.turn(pause))
    return false
  }

  /** Takes the turn if that needs no wait. */
  turnNow(site: SiteCrawl, pause: Pause): boolean {
    const { rate, settings, leaseMargin } = this.#parts
    return !rate.isLimited && !settings.paused && leaseMargin.holds && site.pace.turnNow(pause)
  }

  /** Waits for the turn and takes it. */
  async turn(site: SiteCrawl, pause: Pause): Promise<boolean> {
    const turn = site.pace.turn(pause)
    return (await (site.pace.isShut ? site.lane.farOff(turn) : turn)) && this.stillDue(site, pause)
  }

  /**
   * Has the turn, and waits for the total rate. If the site must wait meanwhile, the crawl is paused or the
   * leases are about to end, releases the turn and waits for the next one.
   */
  async stillDue(site: SiteCrawl, pause: Pause): Promise<boolean> {
    const { rate, settings, signal, leaseMargin } = this.#parts
    if (rate.isLimited) await rate.take(signal)
    while ((settings.paused || !site.pace.isStillDue() || !leaseMargin.holds) && !signal.aborted) {
      const wasPaused = settings.paused
      this.pass(site, pause)
      if (wasPaused) await this.unlessPaused()
      if (!(await leaseMargin.held(() => site.mode.is === 'leaving'))) return false
      if (!(await site.pace.turn(pause))) return false
      // The rate that was granted before a pause is void.
      if (wasPaused && rate.isLimited) await rate.take(signal)
    }
    return true
  }

  /** True if a file or an archive may be read now: that needs no turn, but the lease. */
  mayRead(): boolean {
    return this.#parts.leaseMargin.holds
  }

  /** Waits until `mayRead`; false if the site is left, or the agent stops. */
  untilRead(site: SiteCrawl): Promise<boolean> {
    return this.#parts.leaseMargin.held(() => site.mode.is === 'leaving')
  }

  /** One more request of a robots procedure that has its turn: waits for the end of a pause and the rate. */
  async oneMore(): Promise<void> {
    const { rate, signal } = this.#parts
    await this.unlessPaused()
    if (rate.isLimited) await rate.take(signal)
  }

  /** The pause after a request for robots.txt. Without a response, the speed of the site is unknown. */
  afterRobots({ exchange }: FetchResult): Pause {
    this.#spend(exchange)
    return this.#pause(exchange?.fetchMs ?? 0, 0)
  }

  /** Releases the turn without a request. */
  pass(site: SiteCrawl, pause: Pause): void {
    site.pace.done(pause, pause)
  }

  /** Releases the turn after an answer, whose duration decides the pause. */
  answered(site: SiteCrawl, taken: Pause, { exchange }: FetchResult): void {
    const responseMs = exchange ? exchange.fetchMs : LIMITS.headersMs
    const crawlDelayMs = taken.ownMs > taken.groupMs ? taken.ownMs : 0
    site.pace.done(taken, this.#pause(responseMs, crawlDelayMs))
    this.#spend(exchange)
  }

  get isPaused(): boolean {
    return this.#parts.settings.paused
  }

  /** Waits while the crawl is paused. */
  async unlessPaused(): Promise<void> {
    const { clock, settings, signal } = this.#parts
    while (settings.paused && !signal.aborted) await sleep(clock, PAUSE_LOOK_MS, signal)
  }

  #spend(exchange: Exchange | undefined): void {
    const { rate } = this.#parts
    if (exchange && rate.isLimited) rate.spend(exchange.payload.length)
  }

  #pause(responseMs: Millis, crawlDelayMs: Millis): Pause {
    const groupMs = delayAfter(this.#parts.settings.delay, responseMs)
    const ownMs = Math.max(groupMs, crawlDelayMs)
    if (this.#usual.ownMs !== ownMs || this.#usual.groupMs !== groupMs) this.#usual = { ownMs, groupMs }
    return this.#usual
  }
}
