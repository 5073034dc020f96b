/**
 * The start of a crawl: the first agent to report has lanes for all sites, so nothing is handed out before
 * all agents that are expected have reported. An agent that does not come holds the crawl up for a few
 * seconds only; it takes its share over when it comes (`site-takeover.ts`).
 */
import { type Clock, LIMITS, type Millis } from '../../model/index.js'

export class StartupQuorum {
  readonly #clock: Clock
  readonly #expected: number
  #reported = 0
  #lastAt: Millis = 0
  #isOver = false

  constructor(clock: Clock, expected: number) {
    this.#clock = clock
    this.#expected = expected
  }

  /** True once nobody is waited for any more, given how many agents have reported. */
  isOver(reported: number): boolean {
    if (this.#isOver) return true
    const now = this.#clock.monotonic()
    if (reported > this.#reported) {
      this.#reported = reported
      this.#lastAt = now
    }
    const isLate = this.#reported > 0 && now - this.#lastAt >= LIMITS.agentGatherMs
    this.#isOver = reported >= this.#expected || isLate
    return this.#isOver
  }
}
