import type { Cancel, Clock, Millis } from '../src/model/index.js'

const LOOK_MS: Millis = 500

/**
 * Adds up the time in which this process could do nothing: the machine slept, or something had stopped it.
 */
export class StallMeter {
  readonly #clock: Clock
  #cancel: Cancel
  #lastMs: Millis
  #stalledMs: Millis = 0

  constructor(clock: Clock) {
    this.#clock = clock
    this.#lastMs = clock.now()
    this.#cancel = clock.after(LOOK_MS, () => this.#look())
  }

  end(): Millis {
    this.#cancel()
    return this.#stalledMs
  }

  #look(): void {
    const now = this.#clock.now()
    const lateMs = now - this.#lastMs - LOOK_MS
    // A busy moment is no sleep.
    if (lateMs > LOOK_MS) this.#stalledMs += lateMs
    this.#lastMs = now
    this.#cancel = this.#clock.after(LOOK_MS, () => this.#look())
  }
}
