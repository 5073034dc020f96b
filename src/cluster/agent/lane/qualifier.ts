/**
 * Brings the verdict about a URL whose origin is not known yet: takes the turn, runs the robots procedure,
 * archives what crossed the wire, and decides what becomes of URLs that have to wait.
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
import type { Fetcher } from '../../../page/fetch/index.js'
import type { FrontierEntry } from '../../../page/frontier/index.js'
import { PhasedFetcher, type PhaseGates, type Tenure, type Turns } from '../../../page/politeness/index.js'
import { type ProcedureParts, qualify } from '../../../page/robots/index.js'
import type { GateVerdict, SiteCrawl } from '../site/index.js'
import { HeldBodies } from './held-bodies.js'
import type { LaneManners } from './lane-manners.js'
import { ProcedureTurns } from './robots-turns.js'

/** How often a waiting lane looks whether its site is still its own. */
const LOOK_MS = 1_000

export interface QualifierParts {
  readonly clock: Clock
  readonly fetcher: Fetcher
  readonly manners: LaneManners
  readonly turns: Turns
  readonly tenure: Tenure
  readonly phases: PhaseGates | null
  readonly mode: 'strict' | 'rfc9309' | 'ignore'
  readonly maxWaitMs: Millis
  /** Says to all agents that these turns are needed for one request. */
  readonly announce: (groups: readonly GroupId[]) => void
  /** Waits until there is room for them. */
  readonly archiveRobots: (site: SiteCrawl, exchanges: readonly Exchange[]) => Promise<void>
  readonly log: (event: string, fields: Readonly<Record<string, unknown>>) => void
  /** Ends when the agent stops asking. */
  readonly signal: StopSignal
}

export class Qualifier {
  readonly #parts: QualifierParts

  constructor(parts: QualifierParts) {
    this.#parts = parts
  }

  /**
   * The final verdict, or null when the URL is not to be settled now: its site is left, or it was set aside.
   */
  async verdictOf(site: SiteCrawl, entry: FrontierEntry): Promise<GateVerdict | null> {
    const url = withoutMark(entry.url)
    for (;;) {
      if (site.mode.is === 'leaving' || this.#parts.signal.aborted) return null
      const verdict = site.gate.judge(url)
      if (verdict === null) await site.gate.once(url, origin => this.#ask(site, origin))
      else if (verdict.allowed || verdict.until === undefined) return verdict
      else if (!(await this.#waits(site, entry, verdict.until, verdict.detail))) return null
    }
  }

  async #ask(site: SiteCrawl, origin: string): Promise<void> {
    const { clock, manners, signal, mode, maxWaitMs } = this.#parts
    const pause = manners.pauseOf(0)
    const hasTurn = manners.isFarOff(site)
      ? (await manners.farTurn(site, pause)) && (await manners.stillDue(site, pause))
      : manners.turnNow(site, pause) || (await manners.turn(site, pause))
    if (!hasTurn) return
    if (mode === 'ignore' || site.mode.is === 'leaving' || signal.aborted) {
      manners.pass(site, pause)
      return
    }
    const procedure = {
      clock,
      turns: this.#parts.turns,
      shard: site.pace.gate?.shard ?? 0,
      manners,
      pause,
      maxWaitMs,
      announce: this.#parts.announce,
      farOff: <T>(wait: Promise<T>) => site.farOff(wait),
      isOver: () => site.mode.is === 'leaving' || signal.aborted,
    }
    const turns = new ProcedureTurns(procedure, siteOfCell(site.cell), site.pace)
    const { tenure } = this.#parts
    const bodies = new HeldBodies(this.#parts.fetcher)
    const parts = { ...this.#asking(site, bodies), clock, turns }
    site.robotsInFlight++
    try {
      const found = await qualify(origin, mode, parts, site.leash.signal(tenure.signal)).finally(() => {
        site.robotsInFlight--
        turns.done()
      })
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
    const { clock, manners } = this.#parts
    if ('is' in found) {
      if (found.is === 'later') site.gate.postpone(origin, found.until)
      return
    }
    const { problems, verdict, retryAfterMs } = found
    if (problems.length > 0)
      this.#parts.log('robots.txt: attempts that failed', { origin, problems, verdict })
    // 429 and 503 speak for the whole site.
    if (retryAfterMs !== null) site.pace.wait(clock.now() + retryAfterMs, 'its robots.txt said Retry-After')
    const learned = site.gate.learn(origin, found)
    const crawlDelayMs = site.gate.crawlDelayMs(origin)
    if (manners.tooLong(crawlDelayMs) === '') site.pace.prolong(crawlDelayMs, endedAt)
    await learned
    await this.#parts.archiveRobots(site, found.exchanges)
  }

  #asking({ pace }: SiteCrawl, fetcher: HeldBodies): Pick<ProcedureParts, 'fetcher' | 'mayAsk'> {
    const { tenure, phases } = this.#parts
    if (phases === null || pace.gate === null) return { fetcher, mayAsk: () => tenure.holds }
    const phased = new PhasedFetcher(fetcher, phases, pace.gate.shard)
    return { fetcher: phased, mayAsk: () => tenure.holds && !phased.wasCut }
  }

  /** True when the wait is over. Where other origins of the site go on, only this URL waits. */
  async #waits(site: SiteCrawl, entry: FrontierEntry, until: Millis, why: string): Promise<boolean> {
    const { clock, maxWaitMs } = this.#parts
    if (site.gate.isOpen && site.setAside < LIMITS.robotsSetAside) {
      site.setAside++
      site.frontier.setAside(entry, until)
      return false
    }
    if (until - clock.now() > maxWaitMs) {
      site.leave('park', until, why)
      return false
    }
    await site.farOff(this.#sleep(site, until))
    return true
  }

  async #sleep(site: SiteCrawl, until: Millis): Promise<void> {
    const { clock, signal } = this.#parts
    while (until > clock.now() && site.mode.is !== 'leaving' && !signal.aborted)
      await sleep(clock, Math.min(LOOK_MS, until - clock.now()), signal)
  }
}
