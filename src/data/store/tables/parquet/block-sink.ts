/** Bytes in blocks from a pool of the thread, reused by the next row group. */
import type { Output } from '../../../../files/index.js'

const BLOCK_BYTES = 64 * 1024

const free: Buffer[] = []

export class BlockSink {
  readonly #blocks: Buffer[] = []
  #length = 0

  get length(): number {
    return this.#length
  }

  append(bytes: Uint8Array): void {
    for (let from = 0; from < bytes.length; ) {
      const at = this.#length % BLOCK_BYTES
      if (at === 0) this.#blocks.push(free.pop() ?? Buffer.allocUnsafeSlow(BLOCK_BYTES))
      const count = Math.min(BLOCK_BYTES - at, bytes.length - from)
      this.#blocks[this.#blocks.length - 1].set(bytes.subarray(from, from + count), at)
      this.#length += count
      from += count
    }
  }

  /** Writes everything to the end of `file` and is empty afterwards. */
  moveTo(file: Output): void {
    for (const [i, block] of this.#blocks.entries())
      file.write(block.subarray(0, Math.min(BLOCK_BYTES, this.#length - i * BLOCK_BYTES)))
    this.clear()
  }

  clear(): void {
    free.push(...this.#blocks)
    this.#blocks.length = 0
    this.#length = 0
  }
}
