/**
 * Parquet's definition levels: which of the rows not yet in a page have a value (1) and which are NULL (0).
 */
import type { ByteSink } from '../../bytes/index.js'
import { appendHybrid } from './hybrid.js'

export class Levels {
  #levels = new Uint8Array(1_024)
  #rows = 0

  get rows(): number {
    return this.#rows
  }

  add(level: 0 | 1): void {
    if (this.#rows === this.#levels.length) {
      const larger = new Uint8Array(this.#levels.length * 2)
      larger.set(this.#levels)
      this.#levels = larger
    }
    this.#levels[this.#rows++] = level
  }

  /** The number of rows that contain the first `values` values. */
  rowsWith(values: number): number {
    let rows = 0
    for (let left = values; left > 0; rows++) left -= this.#levels[rows]
    return rows
  }

  /** Appends the levels of the first `rows` as a page stores them. */
  appendTo(sink: ByteSink, rows: number): void {
    const start = sink.length
    sink.uint32(0)
    appendHybrid(sink, this.#levels, rows, 1)
    sink.view().writeUInt32LE(sink.length - start - 4, start)
  }

  drop(rows: number): void {
    this.#levels.copyWithin(0, rows, this.#rows)
    this.#rows -= rows
  }
}
