/** The Allow and Disallow lines of a group, as places in the file: thirty thousand lines need no thirty thousand objects. */
import type { Line } from './robots-lines.js'

const FIELDS = 4

export class WrittenRules {
  #places = new Int32Array(16 * FIELDS)
  #count = 0

  get count(): number {
    return this.#count
  }

  add(isAllow: boolean, line: Readonly<Line>): void {
    const at = this.#count++ * FIELDS
    if (at === this.#places.length) {
      const larger = new Int32Array(at * 2)
      larger.set(this.#places)
      this.#places = larger
    }
    const places = this.#places
    places[at] = line.number * 2 + (isAllow ? 1 : 0)
    places[at + 1] = line.start
    places[at + 2] = line.end
    places[at + 3] = line.valueStart
  }

  isAllow(index: number): boolean {
    return (this.#places[index * FIELDS]! & 1) === 1
  }

  lineNumber(index: number): number {
    return this.#places[index * FIELDS]! >> 1
  }

  /** The whole line, blanks around it and comment apart. */
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
}
