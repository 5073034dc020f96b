/** The rules of a group that can match a path, by number. A rule becomes an object on first use. */
import { LINE_FIELDS } from './line-scan.js'
import { Rule } from './rule.js'
import type { WrittenRules } from './written-rules.js'

const SLASH = 0x2f
const STAR = 0x2a
const INDEX_PAGE = '/index.htm'

export class RuleTable {
  readonly bytes: Uint8Array
  /** Start and end of each pattern. */
  readonly from: Int32Array
  readonly to: Int32Array
  readonly count: number
  readonly #text: string
  readonly #written: WrittenRules
  /** Their indexes among the written rules. */
  readonly #places: Int32Array
  /** From this number on, directories whose index page a rule names. */
  readonly #directories: number
  readonly #made: (Rule | undefined)[]

  /** `text` has one character per byte. */
  constructor(text: string, written: WrittenRules) {
    this.#text = text
    this.#written = written
    this.bytes = Buffer.from(text, 'latin1')
    const indexPages = text.includes(INDEX_PAGE) ? this.#indexPages() : []
    const most = written.count + indexPages.length
    this.from = new Int32Array(most)
    this.to = new Int32Array(most)
    this.#places = new Int32Array(most)
    this.#directories = this.#addPaths()
    this.count = this.#directories + indexPages.length
    for (const [i, { index, slash }] of indexPages.entries()) {
      this.from[this.#directories + i] = written.patternStart(index)
      this.to[this.#directories + i] = slash + 1
      this.#places[this.#directories + i] = index
    }
    this.#made = new Array<Rule | undefined>(this.count)
  }

  /** The pattern as written. */
  pattern(number: number): string {
    const pattern = this.#text.slice(this.from[number], this.to[number])
    return number < this.#directories ? pattern : `${pattern}$`
  }

  rule(number: number): Rule {
    const made = this.#made[number]
    if (made !== undefined) return made
    const place = this.#places[number]!
    const rule = new Rule(place, this.#written.isAllow(place), this.pattern(number))
    this.#made[number] = rule
    return rule
  }

  /** Returns their number. */
  #addPaths(): number {
    const { bytes, from, to } = this
    const lines = this.#written.places
    const places = this.#places
    let count = 0
    for (let at = 0; at < lines.length; at += LINE_FIELDS) {
      const start = lines[at + 3]!
      const first = bytes[start]
      // Other patterns match no path.
      if ((first !== SLASH && first !== STAR) || start === lines[at + 2]) continue
      from[count] = start
      to[count] = lines[at + 2]!
      places[count++] = at / LINE_FIELDS
    }
    return count
  }

  /** As at Google, a rule that allows an index page also allows its directory. */
  #indexPages(): { readonly index: number; readonly slash: number }[] {
    const found: { index: number; slash: number }[] = []
    const written = this.#written
    for (let index = 0; index < written.count; index++) {
      const start = written.patternStart(index)
      let slash = written.patternEnd(index) - 1
      if (!written.isAllow(index) || (this.bytes[start] !== SLASH && this.bytes[start] !== STAR)) continue
      while (slash >= start && this.bytes[slash] !== SLASH) slash--
      if (slash >= start && this.#text.startsWith(INDEX_PAGE, slash)) found.push({ index, slash })
    }
    return found
  }
}
