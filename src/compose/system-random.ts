/** The real random source. Only `compose` hands it out. */

import { randomFillSync } from 'node:crypto'
import type { Random } from '../model/index.js'
import { POOL_BYTES } from './limits.js'

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
