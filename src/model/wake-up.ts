import type { Cancel, Clock, Millis } from './clock.js'

/** Ends a wait early. A notification without a waiter ends the next wait at once. */
export class WakeUp {
  readonly #clock: Clock
  #isNotified = false
  #waiting: (() => void) | null = null

  constructor(clock: Clock) {
    this.#clock = clock
  }

  notify(): void {
    this.#isNotified = true
    this.#waiting?.()
  }

  wait(atMostMs: Millis): Promise<void> {
    return new Promise(resolve => {
      let cancel: Cancel = () => {}
      const end = () => {
        cancel()
        this.#waiting = null
        this.#isNotified = false
        resolve()
      }
      if (this.#isNotified) return end()
      this.#waiting = end
      cancel = this.#clock.after(atMostMs, end)
    })
  }
}
