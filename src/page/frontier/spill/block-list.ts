/**
 * Stores many short queues of bytes in blocks of one size, chained for longer queues, without work for the
 * garbage collector.
 */
export const BLOCK_BYTES = 256
const BLOCKS_PER_SLAB = 1024
const NO_BLOCK = -1

export class BlockPool {
  readonly #slabs: Uint8Array[] = []
  /** The next block in a chain, or in the list of free blocks. */
  #next = new Int32Array(BLOCKS_PER_SLAB)
  #free = NO_BLOCK
  #used = 0

  /** Memory of the blocks in use. */
  get usedBytes(): number {
    return this.#used * BLOCK_BYTES
  }

  take(): number {
    if (this.#free === NO_BLOCK) this.#addSlab()
    const block = this.#free
    this.#free = this.#next[block]
    this.#next[block] = NO_BLOCK
    this.#used++
    return block
  }

  giveBack(block: number): void {
    this.#next[block] = this.#free
    this.#free = block
    this.#used--
  }

  next(block: number): number {
    return this.#next[block]
  }

  link(block: number, next: number): void {
    this.#next[block] = next
  }

  write(block: number, at: number, source: Uint8Array, from: number, to: number): void {
    const slab = this.#slabs[Math.floor(block / BLOCKS_PER_SLAB)]
    const start = (block % BLOCKS_PER_SLAB) * BLOCK_BYTES + at
    for (let i = from; i < to; i++) slab[start + i - from] = source[i]
  }

  read(block: number, at: number, target: Uint8Array, from: number, to: number): void {
    const slab = this.#slabs[Math.floor(block / BLOCKS_PER_SLAB)]
    const start = (block % BLOCKS_PER_SLAB) * BLOCK_BYTES + at
    for (let i = from; i < to; i++) target[i] = slab[start + i - from]
  }

  #addSlab(): void {
    const first = this.#slabs.length * BLOCKS_PER_SLAB
    this.#slabs.push(new Uint8Array(BLOCKS_PER_SLAB * BLOCK_BYTES))
    if (this.#next.length < first + BLOCKS_PER_SLAB) {
      const longer = new Int32Array(this.#next.length * 2)
      longer.set(this.#next)
      this.#next = longer
    }
    for (let i = BLOCKS_PER_SLAB - 1; i >= 0; i--) {
      this.#next[first + i] = this.#free
      this.#free = first + i
    }
  }
}

/** A first-in-first-out queue in blocks of a pool. */
export class BlockList {
  readonly #pool: BlockPool
  #first = NO_BLOCK
  #last = NO_BLOCK
  /** Start of the bytes in the first block, and their end in the last. */
  #start = 0
  #end = BLOCK_BYTES
  #bytes = 0

  constructor(pool: BlockPool) {
    this.#pool = pool
  }

  get bytes(): number {
    return this.#bytes
  }

  append(source: Uint8Array, from: number, to: number): void {
    const pool = this.#pool
    for (let at = from; at < to; ) {
      if (this.#end === BLOCK_BYTES) this.#extend()
      const count = Math.min(BLOCK_BYTES - this.#end, to - at)
      pool.write(this.#last, this.#end, source, at, at + count)
      this.#end += count
      at += count
    }
    this.#bytes += to - from
  }

  /** Moves the first bytes to `target[from..to)`; there must be that many. */
  take(target: Uint8Array, from: number, to: number): void {
    const pool = this.#pool
    for (let at = from; at < to; ) {
      const end = this.#first === this.#last ? this.#end : BLOCK_BYTES
      const count = Math.min(end - this.#start, to - at)
      pool.read(this.#first, this.#start, target, at, at + count)
      this.#start += count
      at += count
      if (this.#start === BLOCK_BYTES) this.#dropFirst()
    }
    this.#bytes -= to - from
    if (this.#bytes === 0) this.clear()
  }

  clear(): void {
    while (this.#first !== NO_BLOCK) this.#dropFirst()
    this.#bytes = 0
  }

  #extend(): void {
    const block = this.#pool.take()
    if (this.#last === NO_BLOCK) this.#first = block
    else this.#pool.link(this.#last, block)
    this.#last = block
    this.#end = 0
  }

  #dropFirst(): void {
    const next = this.#pool.next(this.#first)
    this.#pool.giveBack(this.#first)
    this.#first = next
    this.#start = 0
    if (next !== NO_BLOCK) return
    this.#last = NO_BLOCK
    this.#end = BLOCK_BYTES
  }
}
