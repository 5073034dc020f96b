import type { Cancel, Clock, Millis } from '../src/model/index.js'

const LOOK_MS: Millis = 500

/** Measures the time in which this process was stopped, for example because the machine slept. */
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
    // A shorter delay only shows that the process was busy.
    if (lateMs > LOOK_MS) this.#stalledMs += lateMs
    this.#lastMs = now
    this.#cancel = this.#clock.after(LOOK_MS, () => this.#look())
  }
}
