/**
 * A file that is read once, as a whole or in parts, past the page cache: its bytes are not in the cache, and
 * filling the cache would cost more than the read.
 */
import { closeSync, fstatSync, openSync } from 'node:fs'
import { alignedBuffer } from '../model/bytes/index.js'
import { LIMITS } from '../model/index.js'
import { OPEN } from './inside.js'
import { BLOCK_BYTES, BlockAccess } from './uncached-write.js'
import { readWhole } from './whole-io.js'

export class WindowedFile {
  readonly #file: number
  readonly #blocks: BlockAccess
  readonly #aheadBytes: number
  /** Holds `#filled` bytes of the file from `#start` on. */
  #window: Buffer
  #start = 0
  #filled = 0

  /** `window` is the buffer of a closed file, for reuse. `extent`: `all` reads ahead. */
  constructor(path: string, extent: 'all' | 'some', window: Buffer | null) {
    this.#file = openSync(path, OPEN.read)
    this.#blocks = new BlockAccess(path, 'read')
    this.#aheadBytes = extent === 'all' ? LIMITS.stageBytes : 0
    this.#window = window ?? alignedBuffer(LIMITS.stageBytes)
  }

  get size(): number {
    return fstatSync(this.#file).size
  }

  /** Fewer bytes only at the end of the file; valid until the next call. */
  read(at: number, length: number): Buffer {
    if (at < this.#start || at + length > this.#start + this.#filled) this.#moveTo(at, length)
    const from = at - this.#start
    return this.#window.subarray(from, Math.min(from + length, this.#filled))
  }

  /** Returns its buffer for reuse. */
  close(): Buffer {
    this.#blocks.close()
    closeSync(this.#file)
    return this.#window
  }

  #moveTo(at: number, length: number): void {
    this.#start = at - (at % BLOCK_BYTES)
    const needed = at - this.#start + length
    if (needed > this.#window.length) this.#window = alignedBuffer(needed)
    const wanted = Math.max(needed, Math.min(this.#aheadBytes, this.#window.length))
    const blocks = this.#window.subarray(0, Math.ceil(wanted / BLOCK_BYTES) * BLOCK_BYTES)
    this.#filled = this.#blocks.readSync(blocks, this.#start) ?? readWhole(this.#file, blocks, this.#start)
  }
}
