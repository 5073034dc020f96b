/** When the next request to a group of sites may be sent. Times are ledger (wall) time: they outlive the process. */
import type { Clock, Millis } from '../model/clock.js'
import { sleep } from '../model/clock.js'

export class GroupPace {
  readonly #clock: Clock
  #nextAllowed: Millis

  constructor(clock: Clock, nextAllowed: Millis) {
    this.#clock = clock
    this.#nextAllowed = nextAllowed
  }

  get nextAllowed(): Millis {
    return this.#nextAllowed
  }

  /** Never shortens a wait that is already known. */
  postpone(until: Millis): void {
    if (until > this.#nextAllowed) this.#nextAllowed = until
  }

  /** Takes the turn if that needs no wait. */
  turnNow(delayMs: Millis): boolean {
    const now = this.#clock.now()
    if (this.#nextAllowed > now) return false
    if (delayMs > 0) this.postpone(now + delayMs)
    return true
  }

  /**
   * Waits for the group's turn and takes it: whoever comes meanwhile waits `delayMs` longer. False when the signal
   * ended the wait; then no turn was taken.
   */
  async turn(delayMs: Millis, signal: AbortSignal): Promise<boolean> {
    for (;;) {
      if (signal.aborted) return false
      if (this.turnNow(delayMs)) return true
      await sleep(this.#clock, this.#nextAllowed - this.#clock.now(), signal)
    }
  }
}
