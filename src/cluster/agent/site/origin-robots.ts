/**
 * May this URL be requested? Holds the robots state of the origins of a cell and saves it in the ledger
 * (M13). If the robots.txt of an origin cannot be read, it is requested again after the retry interval, until
 * the origin is given up after a number of failures in a row. Old rules are requested again. http and https
 * of a site are different origins.
 */
import type { Ledger, OriginState } from '../../../ledger/index.js'
import {
  type CellId,
  type Clock,
  forDisplay,
  type Millis,
  type OutcomeCode,
  outcomeRule,
} from '../../../model/index.js'
import { originOf } from '../../../model/url/index.js'
import { type Qualification, type RobotsMode, RobotsRules, robotsUrl } from '../../../page/robots/index.js'
import type { PageFaults } from './page-faults.js'

export type OriginVerdict =
  | { readonly allowed: true; readonly crawlDelayMs: Millis }
  /** With `until`, the URL stays queued until then. Without, it is settled with this code. */
  | {
      readonly allowed: false
      readonly code: OutcomeCode
      readonly detail: string
      readonly until?: Millis
    }

const NO_BODY = new Uint8Array(0)
const OPEN: OriginVerdict = { allowed: true, crawlDelayMs: 0 }

export interface OriginRobotsSettings {
  readonly mode: RobotsMode | 'ignore'
  readonly productToken: string
  /** When a robots.txt that could not be read is requested again. */
  readonly retryMs: Millis
  /** The most rounds over the addresses of an unreachable host, whatever the rule of its outcome says. */
  readonly maxTries: number
  /** Failures in a row after which an origin is given up. */
  readonly maxFailures: number
  /** True if no server is asked for a URL (`--source`): a second attempt would show the same. */
  readonly isLocal: (url: string) => boolean
  /** When rules are requested again. */
  readonly recheckMs: Millis
  /** Start of this run of the crawl: after `resume` nothing waits for the retry interval. */
  readonly runStartedAt: Millis
}

export interface OriginRobotsParts {
  readonly cell: CellId
  readonly ledger: Ledger
  readonly clock: Clock
  readonly faults: PageFaults
  readonly settings: OriginRobotsSettings
}

interface Known {
  readonly state: OriginState
  readonly rules: RobotsRules | null
  /** Why the origin could not be reached in this run; else null. */
  readonly unreachable: OutcomeCode | null
  /** Failed rounds over all its addresses. */
  readonly rounds: number
  readonly retryAt: Millis
}

export class OriginRobots {
  readonly #parts: OriginRobotsParts
  readonly #known = new Map<string, Known>()
  #asking: Map<string, Promise<void>> | null = null
  /** Origins whose robots.txt redirects to a group that must not be requested before this time. */
  #postponed: Map<string, Millis> | null = null

  constructor(parts: OriginRobotsParts, states: readonly OriginState[]) {
    this.#parts = parts
    for (const state of states) this.#remember(state)
  }

  /** The verdict; null if the origin has to be qualified first. */
  judge(url: string): OriginVerdict | null {
    if (this.#parts.settings.mode === 'ignore') return OPEN
    const known = this.#known.get(originOf(url))
    if (known?.rules && !this.#isOld(known.state)) {
      return this.#judgeByRules(url, known.rules)
    }
    return this.#judgeOrigin(originOf(url), known)
  }

  /** If the rules throw, the URL is not requested (P9). */
  #judgeByRules(url: string, rules: RobotsRules): OriginVerdict {
    try {
      const { allowed, line } = rules.allows(url)
      if (allowed) return { allowed, crawlDelayMs: rules.crawlDelayMs ?? 0 }
      const detail = line ? `robots.txt line ${line.number}: ${line.text}` : ''
      return { allowed, code: 'ROBOTS_DISALLOWED', detail }
    } catch (error) {
      return { allowed: false, code: 'INTERNAL_ERROR', detail: this.#parts.faults.caught(url, error) }
    }
  }

  /** The Crawl-delay of an origin; 0 without one. */
  crawlDelayMs(origin: string): Millis {
    return this.#known.get(origin)?.rules?.crawlDelayMs ?? 0
  }

  /** The sitemaps that robots.txt names, as written there. */
  *sitemaps(): Iterable<{ readonly origin: string; readonly urls: readonly string[] }> {
    for (const [origin, { rules }] of this.#known) if (rules !== null) yield { origin, urls: rules.sitemaps }
  }

  /** True if some origin has ever answered a request for its robots.txt. */
  get hasAnswered(): boolean {
    for (const { state } of this.#known.values()) if (hasAnswered(state)) return true
    return false
  }

  /** True if some origin of this cell may be crawled now: the cell need not wait for the others then. */
  get isOpen(): boolean {
    for (const { state } of this.#known.values())
      if ((state.verdict === 'rules' || state.verdict === 'allow-all') && !this.#isOld(state)) return true
    return false
  }

  /** Runs `ask` for the origin, or waits for the call that runs already. */
  once(url: string, ask: (origin: string) => Promise<void>): Promise<void> {
    const origin = originOf(url)
    const known = this.#asking?.get(origin)
    if (known) return known
    const all = this.#asking ?? new Map<string, Promise<void>>()
    this.#asking = all
    const asking = ask(origin).finally(() => all.delete(origin))
    all.set(origin, asking)
    return asking
  }

  /** Saves the result of a procedure: date and failure count are durable before the next request. */
  async learn(origin: string, found: Qualification): Promise<void> {
    const { cell, ledger, clock } = this.#parts
    const { verdict, status, detail, body } = found
    const before = this.#known.get(origin)
    const failed = verdict === 'unavailable' || verdict === 'unreachable'
    // An origin that has answered before may come back: unreachable counts as unavailable.
    const kept = verdict === 'unreachable' && hasAnswered(before?.state) ? 'unavailable' : verdict
    const state: OriginState = {
      origin,
      checkedAt: clock.now(),
      failures: failed ? (before?.state.failures ?? 0) + 1 : 0,
      verdict: kept,
      status,
      detail: forDisplay(
        kept === verdict ? detail : `robots.txt could not be read: ${detail} (${found.code})`,
      ),
      body,
    }
    this.#postponed?.delete(origin)
    await ledger.saveOrigin(cell, this.#remember(state, found, before?.rounds))
  }

  /** The procedure cannot continue before this time. That is no failure. */
  postpone(origin: string, until: Millis): void {
    this.#postponed ??= new Map()
    this.#postponed.set(origin, until)
  }

  #judgeOrigin(origin: string, known: Known | undefined): OriginVerdict | null {
    const { clock, settings } = this.#parts
    const now = clock.now()
    const postponed = this.#postponed?.get(origin) ?? 0
    const code = 'ROBOTS_UNAVAILABLE'
    if (postponed > now)
      return {
        allowed: false,
        code,
        detail: 'robots.txt redirects to a site that must wait',
        until: postponed,
      }
    if (!known) return null
    const { state, unreachable, rounds, retryAt } = known
    if (state.verdict === 'allow-all' || state.verdict === 'rules') return this.#isOld(state) ? null : OPEN
    if (unreachable !== null && rounds >= Math.min(settings.maxTries, outcomeRule(unreachable).tries))
      return { allowed: false, code: unreachable, detail: state.detail }
    if (state.failures >= (settings.isLocal(robotsUrl(origin)) ? 1 : settings.maxFailures))
      return { allowed: false, code: 'ROBOTS_GIVEN_UP', detail: state.detail }
    if (retryAt <= now || state.checkedAt < settings.runStartedAt) return null
    return { allowed: false, code: unreachable ?? code, detail: state.detail, until: retryAt }
  }

  /**
   * Returns the state that is kept: if the parser throws, the file counts as one that cannot be read (P9).
   */
  #remember(learned: OriginState, found?: Qualification, roundsBefore = 0): OriginState {
    const { settings, faults } = this.#parts
    let rules: RobotsRules | null = null
    let state = learned
    try {
      if (learned.verdict === 'rules') rules = RobotsRules.parse(learned.body, settings.productToken)
    } catch (error) {
      const detail = `robots.txt could not be read: ${faults.caught(`${learned.origin}/robots.txt`, error)}`
      const failures = (this.#known.get(learned.origin)?.state.failures ?? learned.failures) + 1
      state = { ...learned, verdict: 'unavailable', failures, detail: forDisplay(detail), body: NO_BODY }
    }
    const unreachable = found && state.verdict === 'unreachable' ? found.code : null
    const rounds = unreachable === null ? 0 : roundsBefore + (found?.failedRounds ?? 0)
    const waitMs =
      unreachable === null
        ? Math.max(settings.retryMs, found?.retryAfterMs ?? 0)
        : Math.min(settings.retryMs, outcomeRule(unreachable).waitMs)
    this.#known.set(state.origin, { state, rules, unreachable, rounds, retryAt: state.checkedAt + waitMs })
    return state
  }

  #isOld(state: OriginState): boolean {
    return this.#parts.clock.now() - state.checkedAt >= this.#parts.settings.recheckMs
  }
}

function hasAnswered(state: OriginState | undefined): boolean {
  return state !== undefined && state.verdict !== 'unreachable'
}
