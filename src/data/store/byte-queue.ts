/** Bytes that lie in several buffers, taken from the front; none is copied unless asked for. */
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

  /** The first `count` bytes, where they lie. */
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

  /** Takes as many bytes as `target` has room for, which are no more than there are, and puts them there. */
  fill(target: Buffer): Buffer {
    let at = 0
    for (const part of this.take(target.length)) at += part.copy(target, at)
    return target
  }
}
