/**
 * Reuses buffers of bodies, by size class. A new buffer for each page would be megabytes per second outside
 * the JavaScript heap, which only a full collection frees.
 */

import { BUFFER_POOL_KEPT_BYTES } from '../../limits.js'

const SMALLEST_BITS = 12
const LARGEST_BITS = 19

export class BufferPool {
  readonly #classes: Buffer[][] = []
  #keptBytes = 0

  /** A buffer of at least `bytes` with arbitrary content. */
  take(bytes: number): Buffer {
    const bits = Math.max(SMALLEST_BITS, 32 - Math.clz32(bytes - 1))
    if (bytes === 0 || bits > LARGEST_BITS) return Buffer.allocUnsafeSlow(bytes)
    const kept = this.#classes[bits]?.pop()
    if (kept === undefined) return Buffer.allocUnsafeSlow(1 << bits)
    this.#keptBytes -= kept.length
    return kept
  }

  /** Returns a buffer of `take`; the caller keeps no view of it. */
  give(buffer: Buffer): void {
    const bits = 31 - Math.clz32(buffer.length)
    const ours = buffer.length === 1 << bits && bits >= SMALLEST_BITS && bits <= LARGEST_BITS
    if (!ours || this.#keptBytes + buffer.length > BUFFER_POOL_KEPT_BYTES) return
    this.#keptBytes += buffer.length
    this.#classes[bits] ??= []
    this.#classes[bits].push(buffer)
  }
}
