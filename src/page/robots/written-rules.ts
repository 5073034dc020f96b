/** The Allow and Disallow lines of a group as positions in the file, without an object for each line. */

import { LINE_FIELDS as FIELDS, LineKind, lineKind, lineNumber, numberAndKind } from './line-scan.js'
import type { Line } from './robots-lines.js'

const FEW = 16 * FIELDS

export class WrittenRules {
  #places = new Int32Array(16 * FIELDS)
  #count = 0

  get count(): number {
    return this.#count
  }

  add(isAllow: boolean, { number, start, end, valueStart }: Readonly<Line>): void {
    const at = this.#count * FIELDS
    const places = this.#roomFor(at + FIELDS)
    places[at] = numberAndKind(number, isAllow ? LineKind.allow : LineKind.disallow)
    places[at + 1] = start
    places[at + 2] = end
    places[at + 3] = valueStart
    this.#count++
  }

  addAll(lines: Int32Array, from: number, to: number): void {
    const at = this.#count * FIELDS
    const places = this.#roomFor(at + to - from)
    // For a few numbers copying is faster than making a view.
    if (to - from > FEW) places.set(lines.subarray(from, to), at)
    else for (let i = from; i < to; i++) places[at + i - from] = lines[i]!
    this.#count += (to - from) / FIELDS
  }

  /** Four numbers per rule, in the format of `line-scan.ts`. */
  get places(): Int32Array {
    return this.#places.subarray(0, this.#count * FIELDS)
  }

  isAllow(index: number): boolean {
    return lineKind(this.#places[index * FIELDS]!) === LineKind.allow
  }

  lineNumber(index: number): number {
    return lineNumber(this.#places[index * FIELDS]!)
  }

  /** The line without comment and surrounding blanks. */
  line(text: string, index: number): string {
    const at = index * FIELDS
    return text.slice(this.#places[at + 1], this.#places[at + 2])
  }

  patternStart(index: number): number {
    return this.#places[index * FIELDS + 3]!
  }

  patternEnd(index: number): number {
    return this.#places[index * FIELDS + 2]!
  }

  #roomFor(numbers: number): Int32Array {
    if (numbers > this.#places.length) {
      const larger = new Int32Array(Math.max(numbers, this.#places.length * 2))
      larger.set(this.#places)
      this.#places = larger
    }
    return this.#places
  }
}
