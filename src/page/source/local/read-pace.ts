/**
 * Decides whether a small read is done in this thread or in the thread pool. A read from the page cache takes
 * less time than the way to the pool and back. On a slow disk or a network file system it would stop the
 * thread with all its timers, so after a slow read the next ones go to the pool.
 */
import type { Clock } from '../../../model/index.js'
import { POOLED_READS, SLOW_READ_MS } from '../../limits.js'

export class ReadPace {
  readonly #clock: Clock
  #pooled = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** True if the next read is to be done in this thread. */
  get atOnce(): boolean {
    if (this.#pooled === 0) return true
    this.#pooled--
    return false
  }

  now(): number {
    return this.#clock.monotonic()
  }

  /** A read in this thread that began at `since` is over. */
  ended(since: number): void {
    if (this.#clock.monotonic() - since > SLOW_READ_MS) this.#pooled = POOLED_READS
  }
}
