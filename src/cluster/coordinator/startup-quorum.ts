/**
 * At the start of a crawl the first agent to report could take all sites. So nothing is granted before all
 * expected agents have reported. An agent that has joined the ledger is starting: it is awaited until it
 * reports or the ledger closes it, because on a busy machine a start takes long. An agent that has not
 * joined delays the crawl for a few seconds only; when it comes, it gets its share by `site-takeover.ts`.
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

  /**
   * True once cells may be granted. `reported`: how many agents have reported. `starting`: how many have
   * joined and have not reported.
   */
  isOver(reported: number, starting: number): boolean {
    if (this.#isOver) return true
    const now = this.#clock.monotonic()
    if (reported > this.#reported || starting > 0) {
      this.#reported = Math.max(this.#reported, reported)
      this.#lastAt = now
    }
    const isLate = this.#reported > 0 && now - this.#lastAt >= LIMITS.agentGatherMs
    this.#isOver = reported >= this.#expected || isLate
    return this.#isOver
  }
}
