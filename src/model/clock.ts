/** Epoch milliseconds (wall) or milliseconds since an arbitrary start (monotonic). */
import type { StopSignal } from './stop.js'
export type Millis = number

/** Cancels a timer; does nothing when it has already run. */
export type Cancel = () => void

/** Port: the only source of time. The real clock is in `compose/`; the simulator has a virtual one. */
export interface Clock {
  /** Wall clock, epoch milliseconds. */
  now(): Millis
  /** The error of a span between two calls of `now`. */
  readonly grainMs: Millis
  /** Never goes back; for deadlines and durations. Fractions of a millisecond are kept. */
  monotonic(): Millis
  /** Runs `task` once, not before `delayMs` have passed. */
  after(delayMs: Millis, task: () => void): Cancel
  /** Runs `task` after pending input and output. */
  soon(task: () => void): void
}

/**
 * Resolves after `delayMs`, or as soon as `signal` aborts: it never rejects, and callers check the signal.
 */
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
