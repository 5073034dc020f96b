import type { Cancel, Clock, Millis } from '../../../model/index.js'

/**
 * A deadline that moves with every request and seldom expires. Moving it leaves its timer running; the timer
 * checks the deadline when it fires. A busy connection so sets a timer every half minute, not for each page.
 */
export class LazyDeadline {
  readonly #clock: Clock
  readonly #expire: () => void
  #at = Number.POSITIVE_INFINITY
  #timerAt = Number.POSITIVE_INFINITY
  #cancel: Cancel | null = null

  constructor(clock: Clock, expire: () => void) {
    this.#clock = clock
    this.#expire = expire
  }

  /** Expires at `at` on the monotonic clock, unless set again or cleared before. */
  set(at: Millis, now: Millis): void {
    this.#at = at
    if (this.#timerAt > at) this.#arm(now)
  }

  clear(): void {
    this.#at = Number.POSITIVE_INFINITY
  }

  /** Clears the deadline and stops the timer. */
  cancel(): void {
    this.clear()
    this.#cancel?.()
    this.#cancel = null
    this.#timerAt = Number.POSITIVE_INFINITY
  }

  #arm(now: Millis): void {
    this.#cancel?.()
    this.#timerAt = this.#at
    this.#cancel = this.#clock.after(this.#at - now, () => this.#fire())
  }

  #fire(): void {
    this.#cancel = null
    this.#timerAt = Number.POSITIVE_INFINITY
    if (this.#at === Number.POSITIVE_INFINITY) return
    const now = this.#clock.monotonic()
    if (now < this.#at) this.#arm(now)
    else {
      this.#at = Number.POSITIVE_INFINITY
      this.#expire()
    }
  }
}
