import type { Cancel, Clock, Millis } from './clock.js'

/** A bell: who waits is woken by the next ring, or by the clock. A ring nobody waits for is kept. */
export class WakeUp {
  readonly #clock: Clock
  #rung = false
  #waiting: (() => void) | null = null

  constructor(clock: Clock) {
    this.#clock = clock
  }

  notify(): void {
    this.#rung = true
    this.#waiting?.()
  }

  wait(atMostMs: Millis): Promise<void> {
    return new Promise(resolve => {
      let cancel: Cancel = () => {}
      const end = () => {
        cancel()
        this.#waiting = null
        this.#rung = false
        resolve()
      }
      if (this.#rung) return end()
      this.#waiting = end
      cancel = this.#clock.after(atMostMs, end)
    })
  }
}
