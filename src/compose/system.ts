/** The real clock and the real dice. Only `compose` hands them out. */
import { randomFillSync } from 'node:crypto'
import type { Cancel, Clock, Millis } from '../model/clock.js'
import type { Random } from '../model/random.js'

export const systemClock: Clock = {
  now: () => Date.now(),
  // It counts whole milliseconds, and may be slewed meanwhile.
  grainMs: 2,
  monotonic: () => performance.now(),
  after(delayMs: Millis, task: () => void): Cancel {
    const timer = setTimeout(task, Math.max(0, delayMs))
    return () => clearTimeout(timer)
  },
  soon: task => void setImmediate(task),
}

// Random bytes are drawn in bulk: a call into OpenSSL per record id costs more than the id.
const POOL_BYTES = 4096
const pool = new Uint8Array(POOL_BYTES)
let used = POOL_BYTES

export const systemRandom: Random = {
  next: () => Math.random(),
  bytes(count: number): Uint8Array {
    if (count > POOL_BYTES) return randomFillSync(new Uint8Array(count))
    if (used + count > POOL_BYTES) {
      randomFillSync(pool)
      used = 0
    }
    used += count
    return pool.slice(used - count, used)
  },
}
