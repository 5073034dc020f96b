/** The real dice, and the real clock. Only `compose` hands them out. */
import { randomFillSync } from 'node:crypto'
import type { Random } from '../model/index.js'

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
