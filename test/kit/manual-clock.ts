import type { Cancel, Clock, Millis } from '../../src/model/index.js'

interface Timer {
  readonly at: Millis
  readonly task: () => void
}

/** A clock that stands still until it is told to go on: deadlines are tested without waiting for them. */
export class ManualClock implements Clock {
  readonly grainMs: Millis
  readonly #timers = new Set<Timer>()
  #elapsedMs: Millis = 0

  constructor(grainMs: Millis = 0) {
    this.grainMs = grainMs
  }

  /** Timers that have not run: 0 when nothing was left behind. */
  get pending(): number {
    return this.#timers.size
  }

  now(): Millis {
    return 1_700_000_000_000 + this.#elapsedMs
  }

  monotonic(): Millis {
    return this.#elapsedMs
  }

  after(delayMs: Millis, task: () => void): Cancel {
    const timer = { at: this.#elapsedMs + Math.max(0, delayMs), task }
    this.#timers.add(timer)
    return () => void this.#timers.delete(timer)
  }

  soon(task: () => void): void {
    setImmediate(task)
  }

  /** Lets `ms` pass; timers run in the order they are due. */
  advance(ms: Millis): void {
    const until = this.#elapsedMs + ms
    for (let timer = this.#due(until); timer !== undefined; timer = this.#due(until)) {
      this.#timers.delete(timer)
      this.#elapsedMs = timer.at
      timer.task()
    }
    this.#elapsedMs = until
  }

  #due(until: Millis): Timer | undefined {
    return [...this.#timers].filter(timer => timer.at <= until).sort((a, b) => a.at - b.at)[0]
  }
}
