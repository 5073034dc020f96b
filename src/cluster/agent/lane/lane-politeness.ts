/** When a lane may send its request: its site's turn, its group's, and its share of the total rate. */

import { type Clock, type Exchange, LIMITS, type Millis, type StopSignal } from '../../../model/index.js'
import type { FetchResult } from '../../../page/fetch/index.js'
import { delayAfter, type LeaseMargin, type Pause, type RateLimit } from '../../../page/politeness/index.js'
import type { SiteCrawl } from '../site/index.js'
import type { LaneSettings } from './lane.js'

export interface LanePolitenessParts {
  readonly clock: Clock
  readonly rate: RateLimit
  readonly settings: LaneSettings
  readonly leaseMargin: LeaseMargin
  readonly maxWaitMs: Millis
  /** Waits while the crawl is paused or the disk is nearly full. */
  readonly unlessPaused: (signal: StopSignal) => Promise<void>
  /** A site waits long: true when it has to do so in the ledger, because many others wait here. */
  readonly lendsLane: () => boolean
  /** Ends when the agent stops asking. */
  readonly signal: StopSignal
}

export class LanePoliteness {
  readonly #parts: LanePolitenessParts
  /** The last pause handed out: most sites have the same. */
  #usual: Pause = { ownMs: 0, groupMs: 0 }

  constructor(parts: LanePolitenessParts) {
    this.#parts = parts
  }

  /** The pause that a request reserves before its answer is known. */
  pauseOf(crawlDelayMs: Millis): Pause {
    return this.#pause(0, crawlDelayMs)
  }

  /** Why a site is skipped, empty when it is not. */
  tooLong(crawlDelayMs: Millis): string {
    const { maxCrawlDelayMs } = this.#parts.settings
    if (crawlDelayMs <= maxCrawlDelayMs) return ''
    return `Crawl-delay of ${crawlDelayMs / 1000} s, --max-crawl-delay is ${maxCrawlDelayMs / 1000} s`
  }

  /**
   * True when waiting for the turn would keep a lane busy for long, or for others: a group needs one lane,
   * not many.
   */
  isFarOff(site: SiteCrawl): boolean {
    const now = this.#parts.clock.now()
    return site.pace.isShut || site.pace.expectedAt(now) - now > LIMITS.laneWaitMs || site.pace.isInLine(now)
  }

  /** Waits long for the turn, without a lane; false when the site is left instead, or the agent stops. */
  async farTurn(site: SiteCrawl, pause: Pause): Promise<boolean> {
    const { clock, maxWaitMs, lendsLane } = this.#parts
    const { pace } = site
    const now = clock.now()
    if (pace.waitUntil - now > maxWaitMs) site.leave('park', pace.waitUntil, pace.waitReason)
    else if (lendsLane()) site.leave('rest', pace.expectedAt(now))
    else return site.farOff(pace.turn(pause))
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
    return (await (site.pace.isShut ? site.farOff(turn) : turn)) && this.stillDue(site, pause)
  }

  /**
   * The turn is taken: waits for the total rate. When the site has to be left alone meanwhile, the crawl is
   * paused, or the leases are about to end, the turn is released and waited for anew.
   */
  async stillDue(site: SiteCrawl, pause: Pause): Promise<boolean> {
    const { rate, settings, signal, unlessPaused, leaseMargin } = this.#parts
    if (rate.isLimited) await rate.take(signal)
    while ((settings.paused || !site.pace.isStillDue() || !leaseMargin.holds) && !signal.aborted) {
      const wasPaused = settings.paused
      this.pass(site, pause)
      if (wasPaused) await unlessPaused(signal)
      if (!(await leaseMargin.held(() => site.mode.is === 'leaving'))) return false
      if (!(await site.pace.turn(pause))) return false
      // What was granted before a pause is not saved up for the end of it.
      if (wasPaused && rate.isLimited) await rate.take(signal)
    }
    return true
  }

  /**
   * One more request of a robots procedure that has its turn: waits for the total rate, and while the crawl
   * is paused.
   */
  async oneMore(): Promise<void> {
    const { rate, settings, signal, unlessPaused } = this.#parts
    if (settings.paused) await unlessPaused(signal)
    if (rate.isLimited) await rate.take(signal)
  }

  /**
   * An attempt to get a robots.txt has ended: the pause after it. No answer says nothing of how fast the site
   * is.
   */
  afterRobots({ exchange }: FetchResult): Pause {
    this.#spend(exchange)
    return this.#pause(exchange?.fetchMs ?? 0, 0)
  }

  /** The turn is over without a request. */
  pass(site: SiteCrawl, pause: Pause): void {
    site.pace.done(pause, pause)
  }

  /** The answer is here, and says how long to pause. */
  answered(site: SiteCrawl, taken: Pause, { exchange }: FetchResult): void {
    const responseMs = exchange ? exchange.fetchMs : LIMITS.headersMs
    const crawlDelayMs = taken.ownMs > taken.groupMs ? taken.ownMs : 0
    site.pace.done(taken, this.#pause(responseMs, crawlDelayMs))
    this.#spend(exchange)
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
