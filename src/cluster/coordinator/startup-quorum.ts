/**
 * At the start of a crawl the first agent to report could take all sites. So nothing is granted before all
 * expected agents have reported. A missing agent delays the crawl for a few seconds only; when it comes, it
 * gets its share by `site-takeover.ts`.
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

  /** True once cells may be granted. `reported`: how many agents have reported. */
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
