/** Distinct byte strings in the order they came, found by hash without making strings of them. */
import { ByteSink } from '../../bytes/index.js'

export class ByteDictionary {
  /** As Parquet's PLAIN encoding wants them: uint32 length, bytes. */
  readonly #entries = new ByteSink()
  readonly #starts: number[] = []
  /** Open addressing; place + 1, or 0 where free. */
  #slots = new Uint32Array(256)
  #last = -1

  get size(): number {
    return this.#starts.length
  }

  get bytes(): number {
    return this.#entries.length
  }

  entries(): Buffer {
    return this.#entries.view()
  }

  /** The place of bytes `start` to `end` of `source`, which are added when they are new. */
  place(source: Buffer, start: number, end: number): number {
    // Most columns repeat themselves row after row.
    if (this.#last >= 0 && this.#equals(this.#last, source, start, end)) return this.#last
    let slot = hashOf(source, start, end) & (this.#slots.length - 1)
    for (; this.#slots[slot] !== 0; slot = (slot + 1) & (this.#slots.length - 1)) {
      const place = this.#slots[slot] - 1
      if (this.#equals(place, source, start, end)) {
        this.#last = place
        return place
      }
    }
    this.#slots[slot] = this.size + 1
    this.#last = this.size
    this.#starts.push(this.#entries.length)
    this.#entries.uint32(end - start)
    this.#entries.append(source.subarray(start, end))
    if (this.size * 2 > this.#slots.length) this.#grow()
    return this.#last
  }

  /** Forgets everything, and keeps its memory for the next row group. */
  clear(): void {
    this.#entries.clear()
    this.#starts.length = 0
    this.#slots.fill(0)
    this.#last = -1
  }

  #equals(place: number, source: Buffer, start: number, end: number): boolean {
    const entries = this.#entries.reserve(0)
    const at = this.#starts[place]
    const size = end - start
    if (entries.readUInt32LE(at) !== size) return false
    // From the end: URLs of one site differ there.
    for (let i = size - 1; i >= 0; i--) if (entries[at + 4 + i] !== source[start + i]) return false
    return true
  }

  #grow(): void {
    this.#slots = new Uint32Array(this.#slots.length * 2)
    const entries = this.#entries.reserve(0)
    for (const [place, at] of this.#starts.entries()) {
      const end = at + 4 + entries.readUInt32LE(at)
      let slot = hashOf(entries, at + 4, end) & (this.#slots.length - 1)
      while (this.#slots[slot] !== 0) slot = (slot + 1) & (this.#slots.length - 1)
      this.#slots[slot] = place + 1
    }
  }
}

function hashOf(bytes: Buffer, start: number, end: number): number {
  let hash = end - start
  for (let i = start; i < end; i++) hash = Math.imul(hash ^ bytes[i], 0x01000193)
  return (hash ^ (hash >>> 15)) >>> 0
}
