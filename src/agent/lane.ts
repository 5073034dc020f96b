/**
 * A lane: crawls one site at a time, URL after URL, as fast as manners allow (the papers' C-proc, D1). What needs no
 * wait is asked without one: a dozen promises a page would cost as much as parsing it.
 */
import type { Fetcher } from '../fetch/index.js'
import type { FrontierEntry } from '../frontier/index.js'
import { delayAfter, type RateLimit } from '../manners/index.js'
import type { Clock, Millis } from '../model/clock.js'
import { LIMITS } from '../model/limits.js'
import type { Exchange, MetaInfo } from '../model/page.js'
import type { Counters } from './counters.js'
import type { GateVerdict } from './origin-gate.js'
import type { PageBudget } from './page-budget.js'
import type { Settler } from './settler.js'
import type { SiteCrawl } from './site-crawl.js'
import type { Transmitter } from './transmitter.js'

/** Settings that may change while the crawl runs. */
export interface LaneSettings {
  delay: 'auto' | Millis
  connectionsPerSite: number
  paused: boolean
}

export interface LaneParts {
  readonly clock: Clock
  readonly fetcher: Fetcher
  readonly settler: Settler
  readonly transmitter: Transmitter
  readonly budget: PageBudget
  readonly rate: RateLimit
  readonly counters: Counters
  readonly settings: LaneSettings
  readonly maxDepth: number
  readonly types: readonly string[]
  /** Meta-info of the previous crawl; null when there was none. */
  readonly metaOf: ((site: SiteCrawl, url: string) => Promise<MetaInfo | undefined>) | null
  readonly archiveRobots: (site: SiteCrawl, exchanges: readonly Exchange[]) => void
  /** Waits while the crawl is paused or the disk is nearly full. */
  readonly unlessPaused: (signal: AbortSignal) => Promise<void>
  /** Bodies are done with once settled: no hook holds on to them. */
  readonly recycles: boolean
  /** Ends when the agent stops asking. */
  readonly signal: AbortSignal
}

export class Lane {
  readonly #parts: LaneParts

  constructor(parts: LaneParts) {
    this.#parts = parts
  }

  /** Visits what the site's queue has ready; returns when there is nothing ready or the site is to be left. */
  async crawl(site: SiteCrawl): Promise<void> {
    const { clock, transmitter, signal, settings } = this.#parts
    const others = new Set<Promise<void>>()
    site.loops++
    while (this.#goesOn(site)) {
      if (transmitter.crowded) await transmitter.room(signal)
      const entry = site.frontier.next(clock.now())
      const passedOver = site.frontier.takePassedOver()
      if (passedOver > 0) transmitter.pack.share(site).passedOver(passedOver)
      if (entry === null) break
      await this.#visit(site, entry)
      transmitter.poke()
      while (
        this.#goesOn(site) &&
        site.loops < settings.connectionsPerSite &&
        site.frontier.hasReady(clock.now())
      ) {
        const other = this.crawl(site)
        others.add(other)
        void other.finally(() => others.delete(other)).catch(() => {})
      }
    }
    site.loops--
    await Promise.all(others)
  }

  #goesOn(site: SiteCrawl): boolean {
    return site.mode.is !== 'leaving' && !this.#parts.signal.aborted
  }

  async #visit(site: SiteCrawl, entry: FrontierEntry): Promise<void> {
    const { settler, budget } = this.#parts
    const refusal = this.#refusalOf(site, entry)
    if (refusal) return settler.refuse(site, entry, refusal.code, refusal.detail)
    const verdict = site.gate.judge(entry.url) ?? (await this.#qualify(site, entry.url))
    if (verdict === null) return
    if (!verdict.allowed) return settler.refuse(site, entry, verdict.code, verdict.detail)
    if (!budget.takeNow() && !(await budget.take())) return site.leave('stop')
    if (!(await this.#ask(site, entry, verdict.crawlDelayMs))) budget.giveBack()
  }

  #refusalOf(
    site: SiteCrawl,
    entry: FrontierEntry,
  ): { code: 'SITE_DROPPED' | 'TOO_DEEP'; detail: string } | null {
    if (site.mode.is === 'giving-up') return { code: 'SITE_DROPPED', detail: site.mode.detail }
    if (entry.depth > this.#parts.maxDepth) return { code: 'TOO_DEEP', detail: '' }
    return null
  }

  /** Asks the URL's origin for its robots.txt; then the verdict, or null when the wait was cut short. */
  async #qualify(site: SiteCrawl, url: string): Promise<GateVerdict | null> {
    const { signal, settings } = this.#parts
    const delayMs = delayAfter(settings.delay, 0, 0)
    if (!(await site.pace.turn(delayMs, signal)) || site.mode.is === 'leaving') return null
    const exchanges = await site.gate.qualify(url, signal)
    if (signal.aborted) return null
    site.pace.postpone(this.#parts.clock.now() + delayMs)
    this.#parts.archiveRobots(site, exchanges)
    return site.gate.judge(url)
  }

  /** Waits for the turn and sends the request; true when a page came. */
  async #ask(site: SiteCrawl, entry: FrontierEntry, crawlDelayMs: Millis): Promise<boolean> {
    const { fetcher, settler, settings, rate, counters, clock, signal, types, metaOf } = this.#parts
    if (settings.paused) await this.#parts.unlessPaused(signal)
    const delayMs = delayAfter(settings.delay, 0, crawlDelayMs)
    const known = metaOf === null ? undefined : await metaOf(site, entry.url)
    if (rate.isLimited) await rate.take(signal)
    if (!site.pace.turnNow(delayMs) && !(await site.pace.turn(delayMs, signal))) return false
    if (!this.#goesOn(site)) return false
    site.inFlight++
    site.visits++
    counters.fetches++
    const request = { url: entry.url, ...(known ? { known } : {}), ...(types.length > 0 ? { types } : {}) }
    const result = await fetcher.fetch(request, signal)
    site.inFlight--
    const { exchange } = result
    const responseMs = exchange ? exchange.fetchMs : LIMITS.headersMs
    const pause = delayAfter(settings.delay, responseMs, crawlDelayMs)
    if (pause > 0) site.pace.postpone(clock.now() + pause)
    if (exchange && rate.isLimited) rate.spend(exchange.payload.length)
    // Cut short by our own stop: the URL stays queued, unsettled.
    if (signal.aborted || site.lost) return false
    const isPage = await settler.settle(site, entry, result, known)
    if (this.#parts.recycles) exchange?.release?.()
    return isPage
  }
}
