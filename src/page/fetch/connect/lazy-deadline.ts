import type { Cancel, Clock, Millis } from '../../../model/index.js'

/**
 * A deadline that moves with every request and hardly ever strikes. Its timer is left running when the
 * deadline moves on and looks again when it fires: a busy connection sets one timer in half a minute, not one
 * a page.
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

  /** Also stops the timer: nothing is left behind. */
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
