/**
 * The real clock, apart from the random source, so that whoever only needs the time does not load OpenSSL.
 */
import type { Cancel, Clock, Millis } from '../model/index.js'

export const systemClock: Clock = {
  now: () => Date.now(),
  // `now` returns whole milliseconds, and the system may slew the clock between two calls.
  grainMs: 2,
  monotonic: () => performance.now(),
  after(delayMs: Millis, task: () => void): Cancel {
    const timer = setTimeout(task, Math.max(0, delayMs))
    return () => clearTimeout(timer)
  },
  soon: task => void setImmediate(task),
}
