/** May this URL be asked for at all: the robots rules of a cell's origins, remembered in the ledger. */
import type { Ledger, OriginState } from '../cluster/index.js'
import type { Fetcher } from '../fetch/index.js'
import { qualify, RobotsRules } from '../manners/index.js'
import type { CellId } from '../model/cell.js'
import type { Clock, Millis } from '../model/clock.js'
import type { OutcomeCode } from '../model/outcome.js'
import type { Exchange } from '../model/page.js'
import { originOf } from '../model/url.js'

/** Rules are asked for again after a day. */
const REQUALIFY_MS = 24 * 3_600_000
/** An origin that could not be judged is asked again after this. */
const RETRY_MS = 3_600_000

export type GateVerdict =
  | { readonly allowed: true; readonly crawlDelayMs: Millis }
  | { readonly allowed: false; readonly code: OutcomeCode; readonly detail: string }

const OPEN: GateVerdict = { allowed: true, crawlDelayMs: 0 }

interface Known {
  readonly state: OriginState
  readonly rules: RobotsRules | null
}

export interface GateParts {
  readonly cell: CellId
  readonly ledger: Ledger
  readonly fetcher: Fetcher
  readonly clock: Clock
  readonly mode: 'rfc9309' | 'ignore'
  readonly productToken: string
}

export class OriginGate {
  readonly #parts: GateParts
  readonly #known = new Map<string, Known>()

  constructor(parts: GateParts, states: readonly OriginState[]) {
    this.#parts = parts
    for (const state of states) this.#remember(state)
  }

  /** The verdict, or null when the origin has to be qualified first. */
  judge(url: string): GateVerdict | null {
    if (this.#parts.mode === 'ignore') return OPEN
    const known = this.#known.get(originOf(url))
    if (!known || this.#isOld(known.state)) return null
    const { state, rules } = known
    if (state.verdict === 'unavailable')
      return { allowed: false, code: 'ROBOTS_UNAVAILABLE', detail: state.detail }
    if (rules === null) return OPEN
    const { allowed, line } = rules.allows(url)
    if (allowed) return { allowed, crawlDelayMs: rules.crawlDelayMs ?? 0 }
    return {
      allowed,
      code: 'ROBOTS_DISALLOWED',
      detail: line ? `robots.txt line ${line.number}: ${line.text}` : '',
    }
  }

  /** Asks the origin for its robots.txt and remembers the answer; returns what crossed the wire, for the archive. */
  async qualify(url: string, signal: AbortSignal): Promise<readonly Exchange[]> {
    const { cell, ledger, fetcher, clock, productToken } = this.#parts
    const origin = originOf(url)
    const answer = await qualify(origin, fetcher, signal)
    if (signal.aborted) return []
    const before = this.#known.get(origin)?.state
    const state: OriginState = {
      origin,
      checkedAt: clock.now(),
      failures: answer.verdict === 'unavailable' ? (before?.failures ?? 0) + 1 : 0,
      verdict: answer.verdict,
      status: answer.status,
      detail: answer.detail,
      body: answer.body,
    }
    this.#remember(state, productToken)
    await ledger.saveOrigin(cell, state)
    return answer.exchanges
  }

  #remember(state: OriginState, token = this.#parts.productToken): void {
    const rules = state.verdict === 'rules' ? RobotsRules.parse(state.body, token) : null
    this.#known.set(state.origin, { state, rules })
  }

  #isOld(state: OriginState): boolean {
    const age = this.#parts.clock.now() - state.checkedAt
    return age > (state.verdict === 'unavailable' ? RETRY_MS : REQUALIFY_MS)
  }
}
