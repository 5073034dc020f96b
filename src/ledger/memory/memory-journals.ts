/** Journals of cells, end to end in large blocks: a typed array each would take four times the memory. */

const BLOCK_BYTES = 1024 * 1024

export class MemoryJournals {
  readonly #blocks: Uint8Array[] = []
  /** Bytes used of the last block. */
  #used = BLOCK_BYTES

  /** Copies the journal, because the sender reuses its buffer. Returns the position. */
  add(journal: Uint8Array): number {
    if (this.#used + journal.length > BLOCK_BYTES) {
      this.#blocks.push(new Uint8Array(Math.max(BLOCK_BYTES, journal.length)))
      this.#used = 0
    }
    const block = this.#blocks.length - 1
    const offset = this.#used
    this.#blocks[block].set(journal, offset)
    this.#used += journal.length
    return block * BLOCK_BYTES + offset
  }

  read(at: number, bytes: number): Uint8Array {
    const offset = at % BLOCK_BYTES
    return this.#blocks[(at - offset) / BLOCK_BYTES].subarray(offset, offset + bytes)
  }
}
