/** Epoch milliseconds (wall) or milliseconds since an arbitrary start (monotonic). */
import type { StopSignal } from './stop.js'
export type Millis = number

/** Cancels a timer; harmless when it has already run. */
export type Cancel = () => void

/** Port: the only source of time. The real one stands in `compose/`, the simulator brings a virtual one. */
export interface Clock {
  /** Wall clock, epoch milliseconds. */
  now(): Millis
  /** What a span between two calls of `now` may be wrong by. */
  readonly grainMs: Millis
  /** Never goes back; for deadlines and durations. Fractions of a millisecond are kept. */
  monotonic(): Millis
  /** Runs `task` once, not before `delayMs` have passed. */
  after(delayMs: Millis, task: () => void): Cancel
  /** Runs `task` soon, after pending input and output had their turn. */
  soon(task: () => void): void
}

/** Resolves after `delayMs`, or as soon as `signal` aborts: callers look at the signal, nothing throws. */
export function sleep(clock: Clock, delayMs: Millis, signal?: StopSignal): Promise<void> {
  return new Promise(resolve => {
    if (signal?.aborted) return resolve()
    const end = () => {
      cancel()
      signal?.removeEventListener('abort', end)
      resolve()
    }
    const cancel = clock.after(delayMs, end)
    signal?.addEventListener('abort', end, { once: true })
  })
}
