/**
 * A lane crawls one site at a time, as fast as politeness allows (the papers' C-proc, D1). The life of a URL:
 * it is due, it is allowed, its site's turn comes, it is fetched; the response is parsed, its links are
 * routed, and its row and links join the open pack (`response-handler.ts`).
 *
 * A step that need not wait returns no promise: a dozen promises a page would cost as much as parsing it.
 */
import { type Clock, type MetaInfo, markOf, type StopSignal, withoutMark } from '../../../model/index.js'
import { unconditional } from '../../../page/fetch/http/index.js'
import type { FrontierEntry } from '../../../page/frontier/index.js'
import type { Pause } from '../../../page/politeness/index.js'
import { ENVOY_LOOK_MS } from '../../limits.js'
import type { PageBudget, Transmitter } from '../pack/index.js'
import type { SiteCrawl } from '../site/index.js'
import type { Envoys } from './envoys.js'
import type { LanePoliteness, LaneSettings } from './lane-politeness.js'
import type { PageRecorder } from './page-recorder.js'
import { isOfOtherVersion, type PageRequests } from './page-requests.js'
import type { Qualifier } from './qualifier.js'
import type { ResponseHandler } from './response-handler.js'
import type { UrlRules } from './url-rules.js'

export interface LaneParts {
  readonly clock: Clock
  readonly rules: UrlRules
  readonly qualifier: Qualifier
  readonly politeness: LanePoliteness
  readonly budget: PageBudget
  readonly requests: PageRequests
  readonly responseHandler: ResponseHandler
  readonly recorder: PageRecorder
  readonly transmitter: Transmitter
  readonly settings: LaneSettings
  /** True if no server is asked for a URL (`--source`). */
  readonly isLocal: (url: string) => boolean
  /** Tours of hosts (`--runtime`); null if no site has one. */
  readonly envoys: Envoys | null
  /** Meta-info of the previous crawl; null without one. */
  readonly metaOf: ((site: SiteCrawl, url: string) => Promise<MetaInfo | undefined>) | null
  /** Queues the sitemaps that the site's robots.txt names. */
  readonly offerSitemaps: (site: SiteCrawl) => void
  /** True if the site has to be left, for example because other sites wait and its slice is over. */
  readonly endsSlice: (site: SiteCrawl) => boolean
  /** Aborts when the agent stops. */
  readonly signal: StopSignal
}

/** `none`: the URL needs no turn, because no server is asked for it. */
type Turn = 'needed' | 'held' | 'none'

const NO_PAUSE: Pause = { ownMs: 0, groupMs: 0 }

export class Lane {
  readonly #parts: LaneParts

  constructor(parts: LaneParts) {
    this.#parts = parts
  }

  /** Visits the URLs of the site that are due; returns when none is due or the site has to be left. */
  async crawl(site: SiteCrawl): Promise<void> {
    const { clock, transmitter, signal, settings, offerSitemaps, endsSlice } = this.#parts
    let others: Set<Promise<void>> | null = null
    site.lane.connectionBegan()
    while (this.#goesOn(site) && !site.isListOver) {
      while (!transmitter.hasRoom() && !signal.aborted) await transmitter.shipped()
      if (site.sitemapsDue) offerSitemaps(site)
      const entry = site.nextDue(clock.now())
      const passedOver = site.frontier.takePassedOver()
      if (passedOver > 0) transmitter.pack.cellFor(site).passedOver(passedOver)
      if (entry === null) break
      await this.#visit(site, entry)
      site.visited(entry)
      transmitter.poke()
      if (endsSlice(site)) break
      while (
        this.#goesOn(site) &&
        !site.isListOver &&
        site.lane.connections < settings.connectionsPerSite &&
        site.frontier.hasReady(clock.now())
      ) {
        others ??= new Set()
        addConnection(others, this.crawl(site))
      }
    }
    site.lane.connectionEnded()
    if (others !== null) await Promise.all(others)
  }

  #goesOn(site: SiteCrawl): boolean {
    return site.mode.is !== 'leaving' && !this.#parts.signal.aborted
  }

  async #visit(site: SiteCrawl, entry: FrontierEntry): Promise<void> {
    const { rules, qualifier, politeness, recorder } = this.#parts
    const refusal = rules.refusalOf(site, entry)
    if (refusal !== null) return recorder.refuse(site, entry, refusal.code, refusal.detail)
    const verdict = qualifier.verdictNow(site, entry) ?? (await qualifier.verdictOf(site, entry))
    if (verdict === null) return
    if (!verdict.allowed) return recorder.refuse(site, entry, verdict.code, verdict.detail)
    if (this.#parts.isLocal(withoutMark(entry.url))) return this.#budgeted(site, entry, NO_PAUSE, 'none')
    const tooLong = politeness.tooLong(verdict.crawlDelayMs)
    if (tooLong !== '') return recorder.refuse(site, entry, 'CRAWL_DELAY_TOO_LONG', tooLong)
    const pause = politeness.pauseOf(verdict.crawlDelayMs)
    if (this.#parts.envoys !== null && (await this.#toured(this.#parts.envoys, site, entry, pause))) return
    // While the turn is far off, other sites can use the page of the budget: wait first, then take the page.
    const hasTurn = politeness.isFarOff(site)
    if (hasTurn && !(await politeness.farTurn(site, pause))) return
    await this.#budgeted(site, entry, pause, hasTurn ? 'held' : 'needed')
  }

  /** Fetches with a page of the budget, which is given back if no page came. */
  async #budgeted(site: SiteCrawl, entry: FrontierEntry, pause: Pause, turn: Turn): Promise<void> {
    const { budget, politeness } = this.#parts
    const needsBudget = markOf(entry.url) === null
    if (needsBudget && !budget.takeNow() && !(await budget.take())) {
      if (turn === 'held') politeness.pass(site, pause)
      return site.leave('stop')
    }
    const cameAsPage = await this.#fetch(site, entry, pause, turn)
    if (needsBudget && !cameAsPage) budget.refund()
  }

  /** True if a host crawls the site, and so the visit is over for now: settled, set aside or left queued. */
  async #toured(envoys: Envoys, site: SiteCrawl, entry: FrontierEntry, pause: Pause): Promise<boolean> {
    const { clock, politeness, transmitter, responseHandler, budget, settings, signal } = this.#parts
    if (settings.paused) await politeness.unlessPaused()
    if (envoys.mayBegin(site, entry)) {
      // The first request of the host comes in the turn of the site, as ours would.
      if (!politeness.turnNow(site, pause) && !(await politeness.turn(site, pause))) return true
      politeness.pass(site, pause)
      await envoys.begin(site, entry)
    }
    const answer = await envoys.answer(site, entry)
    if (envoys.hasReturned(site)) site.pace.prolong(pause.ownMs, clock.now())
    if (answer.is === 'server') return false
    if (answer.is === 'later') {
      if (this.#goesOn(site)) site.frontier.setAside(entry, clock.now() + ENVOY_LOOK_MS)
      return true
    }
    while (!transmitter.hasRoom() && !signal.aborted) await site.awaitRoom(transmitter.shipped())
    if (signal.aborted || site.lost) return true
    if (!budget.takeNow() && !(await budget.take())) site.leave('stop')
    else if (!(await responseHandler.handle(site, entry, answer.result, undefined))) budget.refund()
    return true
  }

  /** Takes the turn if necessary, fetches, and settles the response; true if a page came. */
  async #fetch(site: SiteCrawl, entry: FrontierEntry, pause: Pause, turn: Turn): Promise<boolean> {
    const { politeness, requests, responseHandler, transmitter, settings, signal, metaOf } = this.#parts
    let known: MetaInfo | undefined
    if (metaOf !== null && markOf(entry.url) === null) known = await metaOf(site, entry.url)
    const isLocal = turn === 'none'
    for (let step = turn; ; step = isLocal ? 'none' : 'needed') {
      if (settings.paused) await politeness.unlessPaused()
      if (isLocal && !politeness.mayRead() && !(await politeness.untilRead(site))) return false
      if (step === 'needed' && !politeness.turnNow(site, pause) && !(await politeness.turn(site, pause)))
        return false
      if (step === 'held' && !(await politeness.stillDue(site, pause))) return false
      if (!this.#goesOn(site)) {
        if (!isLocal) politeness.pass(site, pause)
        return false
      }
      const begun = isLocal ? null : requests.begunUnder(site)
      const until = isLocal ? requests.leaseSignalOf(site) : requests.signalOf(site)
      const answer = await requests.send(site, entry, known, begun, until)
      site.requestEnded()
      if (!isLocal) politeness.answered(site, pause, answer)
      try {
        while (!transmitter.hasRoom() && !signal.aborted) await site.awaitRoom(transmitter.shipped())
        // The agent stops, or the cell is another's: the URL stays queued.
        if (signal.aborted || site.lost) return false
        const result = requests.resultOf(site, answer, begun, until)
        if (result === null) continue
        if (known === undefined || !isOfOtherVersion(result, known))
          return await responseHandler.handle(site, entry, result, known)
        known = unconditional(known)
      } finally {
        requests.release(answer)
      }
    }
  }
}

function addConnection(running: Set<Promise<void>>, connection: Promise<void>): void {
  running.add(connection)
  void connection.finally(() => running.delete(connection)).catch(() => {})
}
