/** Bytes in several buffers, taken from the front; only `fill` copies. */
export class ByteQueue {
  #buffers: Buffer[]
  #length = 0

  constructor(buffers: readonly Buffer[]) {
    this.#buffers = buffers.filter(buffer => buffer.length > 0)
    for (const { length } of this.#buffers) this.#length += length
  }

  get length(): number {
    return this.#length
  }

  view(): readonly Buffer[] {
    return this.#buffers
  }

  /** Takes the first `count` bytes without copying. */
  take(count: number): Buffer[] {
    const taken: Buffer[] = []
    let wanted = count
    let next = 0
    for (; wanted > 0 && next < this.#buffers.length; next++) {
      const buffer = this.#buffers[next]
      taken.push(buffer.subarray(0, wanted))
      if (buffer.length > wanted) {
        this.#buffers[next] = buffer.subarray(wanted)
        wanted = 0
        break
      }
      wanted -= buffer.length
    }
    this.#buffers = this.#buffers.slice(next)
    this.#length -= count - wanted
    return taken
  }

  /** Copies the first bytes into `target`, which is at most as long as the queue. */
  fill(target: Buffer): Buffer {
    let at = 0
    for (const part of this.take(target.length)) at += part.copy(target, at)
    return target
  }
}
