/**
 * A lane: crawls one site at a time, URL after URL, as fast as politeness allows (the papers' C-proc, D1).
 * What needs no wait is asked without one: a dozen promises a page would cost as much as parsing it.
 */

import {
  type Clock,
  type MetaInfo,
  type Millis,
  markOf,
  type OutcomeCode,
  type StopSignal,
  withoutMark,
} from '../../../model/index.js'
import { confirms, unconditional } from '../../../page/fetch/http/index.js'
import type { Fetcher, FetchRequest, FetchResult } from '../../../page/fetch/index.js'
import type { FrontierEntry } from '../../../page/frontier/index.js'
import { BegunRequest, type Delay, type LeaseMargin, type Pause } from '../../../page/politeness/index.js'
import type { PageBudget, Transmitter } from '../pack/index.js'
import type { Counters, SiteCrawl } from '../site/index.js'
import type { LanePoliteness } from './lane-politeness.js'
import type { Qualifier } from './qualifier.js'
import type { ResponseHandler } from './response-handler.js'

/** Settings that may change while the crawl runs. */
export interface LaneSettings {
  delay: Delay
  /** A site whose Crawl-delay is longer is not crawled. */
  maxCrawlDelayMs: Millis
  connectionsPerSite: number
  paused: boolean
}

export interface LaneParts {
  readonly clock: Clock
  readonly fetcher: Fetcher
  readonly responseHandler: ResponseHandler
  readonly qualifier: Qualifier
  readonly transmitter: Transmitter
  readonly budget: PageBudget
  readonly politeness: LanePoliteness
  readonly leaseMargin: LeaseMargin
  readonly counters: Counters
  readonly settings: LaneSettings
  readonly maxDepth: number
  readonly types: readonly string[]
  /** A sitemap may be longer than a page. */
  readonly sitemapBytes: number
  /** Meta-info of the previous crawl; null when there was none. */
  readonly metaOf: ((site: SiteCrawl, url: string) => Promise<MetaInfo | undefined>) | null
  /** Queues the sitemaps that the site's robots.txt name. */
  readonly offerSitemaps: (site: SiteCrawl) => void
  readonly isBlacklisted: (site: SiteCrawl) => boolean
  /** True when the site has had its slice and others wait: then it is to be left. */
  readonly endsSlice: (site: SiteCrawl) => boolean
  /** Waits while the crawl is paused or the disk is nearly full. */
  readonly unlessPaused: (signal: StopSignal) => Promise<void>
  /** Bodies are done with once settled: no hook holds on to them. */
  readonly recycles: boolean
  /** Ends when the agent stops asking. */
  readonly signal: StopSignal
}

const STALLED: FetchResult = {
  ok: false,
  code: 'HEADERS_TOO_SLOW',
  detail: 'no answer before the phase ended',
}

export class Lane {
  readonly #parts: LaneParts

  constructor(parts: LaneParts) {
    this.#parts = parts
  }

  /**
   * Visits what the site's queue has ready; returns when there is nothing ready or the site is to be left.
   */
  async crawl(site: SiteCrawl): Promise<void> {
    const { clock, transmitter, signal, settings } = this.#parts
    let others: Set<Promise<void>> | null = null
    site.connectionBegan()
    while (this.#takesMore(site)) {
      while (!transmitter.hasRoom() && !signal.aborted) await transmitter.shipped()
      if (site.sitemapsDue) this.#parts.offerSitemaps(site)
      // A row of failures ends with the first good page: that is not to be found among those that failed
      // before.
      const entry = site.frontier.next(clock.now(), site.failures > 1)
      const passedOver = site.frontier.takePassedOver()
      if (passedOver > 0) transmitter.pack.cellFor(site).passedOver(passedOver)
      if (entry === null) break
      site.list?.begin(entry)
      await this.#visit(site, entry)
      site.list?.end(entry, site.isStalled(entry))
      transmitter.poke()
      if (this.#parts.endsSlice(site)) break
      while (
        this.#takesMore(site) &&
        site.connections < settings.connectionsPerSite &&
        site.frontier.hasReady(clock.now())
      ) {
        const other = this.crawl(site)
        const known: Set<Promise<void>> = others ?? new Set()
        others = known.add(other)
        void other.finally(() => known.delete(other)).catch(() => {})
      }
    }
    site.connectionEnded()
    if (others !== null) await Promise.all(others)
  }

  #goesOn(site: SiteCrawl): boolean {
    return site.mode.is !== 'leaving' && !this.#parts.signal.aborted
  }

  #takesMore(site: SiteCrawl): boolean {
    return this.#goesOn(site) && (site.list === null || !site.list.isOver)
  }

  async #visit(site: SiteCrawl, entry: FrontierEntry): Promise<void> {
    const { responseHandler, qualifier, budget, politeness } = this.#parts
    const refusal = this.#refusalOf(site, entry)
    if (refusal) return responseHandler.refuse(site, entry, refusal.code, refusal.detail)
    const url = withoutMark(entry.url)
    let verdict = site.originRobots.judge(url)
    if (!verdict || (!verdict.allowed && verdict.until !== undefined)) {
      if (this.#parts.settings.paused) await this.#parts.unlessPaused(this.#parts.signal)
      verdict = await qualifier.verdictOf(site, entry)
      site.robotsRead()
    }
    if (verdict === null) return
    if (!verdict.allowed) return responseHandler.refuse(site, entry, verdict.code, verdict.detail)
    const tooLong = politeness.tooLong(verdict.crawlDelayMs)
    if (tooLong !== '') return responseHandler.refuse(site, entry, 'CRAWL_DELAY_TOO_LONG', tooLong)
    const pause = politeness.pauseOf(verdict.crawlDelayMs)
    // Far off, the turn comes before the page of the budget: others can use it meanwhile.
    const waited = politeness.isFarOff(site)
    if (waited && !(await politeness.farTurn(site, pause))) return
    if (markOf(entry.url) !== null) {
      await this.#ask(site, entry, pause, waited)
      return
    }
    if (!budget.takeNow() && !(await budget.take())) {
      if (waited) politeness.pass(site, pause)
      return site.leave('stop')
    }
    if (!(await this.#ask(site, entry, pause, waited))) budget.refund()
  }

  #refusalOf(site: SiteCrawl, entry: FrontierEntry): { code: OutcomeCode; detail: string } | null {
    if (site.mode.is === 'giving-up') return { code: 'SITE_DROPPED', detail: site.mode.detail }
    if (this.#parts.isBlacklisted(site)) return { code: 'BLACKLISTED', detail: '' }
    if (entry.depth > this.#parts.maxDepth) return { code: 'TOO_DEEP', detail: '' }
    if (markOf(entry.url) === null && site.traps.isSpent(site.unfinished))
      return { code: 'SITE_PAGE_LIMIT', detail: '' }
    return null
  }

  /**
   * Waits for the turn, unless it has come already, and sends the request; true when a page came. `known` is
   * given when the page is asked for a second time.
   */
  async #ask(
    site: SiteCrawl,
    entry: FrontierEntry,
    pause: Pause,
    hasTurn: boolean,
    known?: MetaInfo,
  ): Promise<boolean> {
    const { fetcher, settings, politeness, counters, signal, metaOf, leaseMargin, transmitter } = this.#parts
    const { gate } = site.pace
    if (settings.paused) await this.#parts.unlessPaused(signal)
    if (metaOf !== null && markOf(entry.url) === null) known ??= await metaOf(site, entry.url)
    if (!hasTurn && !politeness.turnNow(site, pause) && !(await politeness.turn(site, pause))) return false
    if (hasTurn && !(await politeness.stillDue(site, pause))) return false
    if (!this.#goesOn(site)) {
      politeness.pass(site, pause)
      return false
    }
    site.requestBegan()
    counters.fetches++
    const begun = gate === null ? null : new BegunRequest(gate.gates, gate.mayBegin)
    const until = gate === null ? site.requestAbort.signal(leaseMargin.signal) : gate.signal
    const answer = await fetcher.fetch(this.#requestFor(entry, known, begun), until)
    site.requestEnded()
    politeness.answered(site, pause, answer)
    try {
      while (!transmitter.hasRoom() && !signal.aborted) await this.#shipped(site)
      // Cut short by our own stop: the URL stays queued, unsettled.
      if (signal.aborted || site.lost) return false
      // Cut off by the end of the leases, or of the window; nobody took the site, so it is asked again once
      // they are renewed. Cut off because the site is taken away: it stays queued for who has it next.
      const isCut = !answer.ok && (until.aborted || !leaseMargin.holds || gate?.isShut)
      if (isCut && (!leaseMargin.holds || !begun?.wasFair)) return this.#ask(site, entry, pause, false, known)
      // STALLED: it had most of a window and did not answer. Tried again like any other that is too slow.
      const result = isCut && until.aborted ? STALLED : answer
      if (known && isOfAnother(result, known))
        return this.#ask(site, entry, pause, false, unconditional(known))
      return await this.#parts.responseHandler.handle(site, entry, result, known)
    } finally {
      answer.exchange?.settled?.()
      if (this.#parts.recycles) answer.exchange?.release?.()
    }
  }

  /** Its response waits for room in the pack, and counts as in flight until then. */
  async #shipped(site: SiteCrawl): Promise<void> {
    site.roomAwaited()
    await this.#parts.transmitter.shipped()
    site.roomFound()
  }

  #requestFor(entry: FrontierEntry, known: MetaInfo | undefined, begun: BegunRequest | null): FetchRequest {
    const { types, sitemapBytes, leaseMargin } = this.#parts
    const wantsPage = markOf(entry.url) === null
    return {
      url: withoutMark(entry.url),
      known,
      types: wantsPage && types.length > 0 ? types : undefined,
      bodyBytes: wantsPage ? undefined : sitemapBytes,
      mayBegin: begun === null ? undefined : () => leaseMargin.holds && begun.mayBegin(),
      holdsBody: true,
    }
  }
}

/** A 304 that does not speak of what is known: it tells nothing of the page. */
function isOfAnother(result: FetchResult, known: MetaInfo): boolean {
  return result.ok && result.exchange.status === 304 && !confirms(result.exchange, known)
}
