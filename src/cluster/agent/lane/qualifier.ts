/**
 * Finds out whether a URL may be requested when the robots rules of its origin are not known yet: takes the
 * turn, runs the robots procedure, archives its responses, and decides what happens to URLs that must wait.
 */

import {
  type Clock,
  type Exchange,
  type GroupId,
  LIMITS,
  type Millis,
  type StopSignal,
  siteOfCell,
  sleep,
  withoutMark,
} from '../../../model/index.js'
import type { Fetcher, FetchRequest, FetchResult } from '../../../page/fetch/index.js'
import type { FrontierEntry } from '../../../page/frontier/index.js'
import {
  type LeaseMargin,
  type Pause,
  PhasedFetcher,
  type PhaseGates,
  type Turns,
} from '../../../page/politeness/index.js'
import { type ProcedureParts, qualify, type RobotsMode, robotsUrl } from '../../../page/robots/index.js'
import { QUALIFIER_LOOK_MS } from '../../limits.js'
import type { OriginVerdict, SiteCrawl } from '../site/index.js'
import type { LanePoliteness } from './lane-politeness.js'
import { ProcedureTurns } from './procedure-turns.js'
import type { RobotsArchive } from './robots-archive.js'

export interface QualifierParts {
  readonly clock: Clock
  readonly fetcher: Fetcher
  readonly politeness: LanePoliteness
  readonly turns: Turns
  readonly leaseMargin: LeaseMargin
  readonly phases: PhaseGates | null
  readonly mode: 'strict' | 'rfc9309' | 'ignore'
  /** True if no server is asked for a URL (`--source`). */
  readonly isLocal: (url: string) => boolean
  readonly maxWaitMs: Millis
  /** Tells all agents that these turns are needed for one request. */
  readonly announce: (groups: readonly GroupId[]) => void
  readonly archive: RobotsArchive
  readonly log: (event: string, fields: Readonly<Record<string, unknown>>) => void
  /** Aborts when the agent stops. */
  readonly signal: StopSignal
}

export class Qualifier {
  readonly #parts: QualifierParts

  constructor(parts: QualifierParts) {
    this.#parts = parts
  }

  /** The final verdict if it is known now, without a wait; else null. */
  verdictNow(site: SiteCrawl, entry: FrontierEntry): OriginVerdict | null {
    const verdict = site.originRobots.judge(withoutMark(entry.url))
    return verdict === null || verdict.allowed || verdict.until === undefined ? verdict : null
  }

  /**
   * The final verdict. Null if the URL stays queued, because the lane leaves its site or the URL was set
   * aside.
   */
  async verdictOf(site: SiteCrawl, entry: FrontierEntry): Promise<OriginVerdict | null> {
    const { politeness, signal } = this.#parts
    const url = withoutMark(entry.url)
    if (politeness.isPaused) await politeness.unlessPaused()
    try {
      while (site.mode.is !== 'leaving' && !signal.aborted) {
        const verdict = site.originRobots.judge(url)
        if (verdict === null) await site.originRobots.once(url, origin => this.#ask(site, origin))
        else if (verdict.allowed || verdict.until === undefined) return verdict
        else if (!(await this.#waits(site, entry, verdict.until, verdict.detail))) break
      }
      return null
    } finally {
      site.robotsRead()
    }
  }

  async #ask(site: SiteCrawl, origin: string): Promise<void> {
    const { politeness, signal, mode, isLocal } = this.#parts
    const pause = politeness.pauseOf(0)
    const needsTurn = !isLocal(robotsUrl(origin))
    if (needsTurn ? !(await this.#turn(site, pause)) : !(await politeness.untilRead(site))) return
    if (mode !== 'ignore' && site.mode.is !== 'leaving' && !signal.aborted)
      return this.#procedure(site, origin, mode, needsTurn ? pause : null)
    if (needsTurn) politeness.pass(site, pause)
  }

  async #turn(site: SiteCrawl, pause: Pause): Promise<boolean> {
    const { politeness } = this.#parts
    if (politeness.isFarOff(site))
      return (await politeness.farTurn(site, pause)) && (await politeness.stillDue(site, pause))
    return politeness.turnNow(site, pause) || politeness.turn(site, pause)
  }

  /** `pause`: that of the turn that is held; null without a turn. */
  async #procedure(site: SiteCrawl, origin: string, mode: RobotsMode, pause: Pause | null): Promise<void> {
    const { clock, politeness, signal, maxWaitMs, isLocal } = this.#parts
    const procedure = {
      clock,
      turns: this.#parts.turns,
      shard: site.pace.gate?.shard ?? 0,
      politeness,
      pause: pause ?? politeness.pauseOf(0),
      isLocal,
      maxWaitMs,
      announce: this.#parts.announce,
      farOff: <T>(wait: Promise<T>) => site.lane.farOff(wait),
      isOver: () => site.mode.is === 'leaving' || signal.aborted,
    }
    const turns = new ProcedureTurns(procedure, siteOfCell(site.cell), site.pace, pause !== null)
    const { leaseMargin } = this.#parts
    const bodies = new HeldBodies(this.#parts.fetcher)
    const parts = { ...this.#asking(site, bodies, pause !== null), clock, turns, isLocal }
    site.robotsBegan()
    try {
      const found = await qualify(origin, mode, parts, site.requestAbort.signal(leaseMargin.signal)).finally(
        () => {
          site.robotsEnded()
          turns.done()
        },
      )
      await this.#learn(site, origin, found, clock.now())
    } finally {
      bodies.settle()
    }
  }

  async #learn(
    site: SiteCrawl,
    origin: string,
    found: Awaited<ReturnType<typeof qualify>>,
    endedAt: Millis,
  ): Promise<void> {
    const { clock, politeness } = this.#parts
    if ('is' in found) {
      if (found.is === 'later') site.originRobots.postpone(origin, found.until)
      return
    }
    const { problems, verdict, retryAfterMs } = found
    if (problems.length > 0)
      this.#parts.log('robots.txt: attempts that failed', { origin, problems, verdict })
    // Statuses 429 and 503 apply to the whole site. What a file says is no wish of a server.
    const asked = !this.#parts.isLocal(robotsUrl(origin))
    if (asked && retryAfterMs !== null)
      site.pace.wait(clock.now() + retryAfterMs, 'its robots.txt said Retry-After')
    const learned = site.originRobots.learn(origin, found)
    const crawlDelayMs = site.originRobots.crawlDelayMs(origin)
    if (asked && politeness.tooLong(crawlDelayMs) === '') site.pace.prolong(crawlDelayMs, endedAt)
    await learned
    await this.#parts.archive.add(site, found.exchanges)
  }

  #asking(
    { pace }: SiteCrawl,
    fetcher: HeldBodies,
    inTurn: boolean,
  ): Pick<ProcedureParts, 'fetcher' | 'mayAsk'> {
    const { leaseMargin, phases } = this.#parts
    if (phases === null || pace.gate === null || !inTurn) return { fetcher, mayAsk: () => leaseMargin.holds }
    const phased = new PhasedFetcher(fetcher, phases, pace.gate.shard)
    return { fetcher: phased, mayAsk: () => leaseMargin.holds && !phased.wasCut }
  }

  /**
   * Returns true after the wait. Returns false if only this URL is set aside, because other origins of the
   * site can continue, or if the site is parked.
   */
  async #waits(site: SiteCrawl, entry: FrontierEntry, until: Millis, why: string): Promise<boolean> {
    const { clock, maxWaitMs } = this.#parts
    if (site.originRobots.isOpen && site.setAside < LIMITS.robotsSetAside) {
      site.urlSetAside()
      site.frontier.setAside(entry, until)
      return false
    }
    if (until - clock.now() > maxWaitMs) {
      site.leave('park', until, why)
      return false
    }
    await site.lane.farOff(this.#sleep(site, until))
    return true
  }

  async #sleep(site: SiteCrawl, until: Millis): Promise<void> {
    const { clock, signal } = this.#parts
    while (until > clock.now() && site.mode.is !== 'leaving' && !signal.aborted)
      await sleep(clock, Math.min(QUALIFIER_LOOK_MS, until - clock.now()), signal)
  }
}

/** Counts the bodies of one robots procedure as in flight until they are archived, which may have to wait. */
class HeldBodies implements Pick<Fetcher, 'fetch' | 'resolve'> {
  readonly #fetcher: Pick<Fetcher, 'fetch' | 'resolve'>
  readonly #exchanges: Exchange[] = []

  constructor(fetcher: Pick<Fetcher, 'fetch' | 'resolve'>) {
    this.#fetcher = fetcher
  }

  async fetch(request: FetchRequest, signal: StopSignal): Promise<FetchResult> {
    const result = await this.#fetcher.fetch({ ...request, holdsBody: true }, signal)
    if (result.exchange) this.#exchanges.push(result.exchange)
    return result
  }

  resolve(host: string): Promise<readonly string[]> {
    return this.#fetcher.resolve(host)
  }

  settle(): void {
    for (const exchange of this.#exchanges) exchange.settled?.()
  }
}
