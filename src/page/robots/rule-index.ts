/**
 * Rules found without trying each of them: by letters that a path must hold for them to match. Those that
 * have no two letters in a row (`/`, `/*`) are few, and are tried one after the other.
 */
import { GramIndex } from './gram-index.js'
import { beats, byWinner, matches, type Rule } from './rule.js'
import { scanRules } from './rule-scan.js'
import { RuleTable } from './rule-table.js'
import type { WrittenRules } from './written-rules.js'

/** So few are tried one after the other: to look for letters takes longer. */
const FEW = 4
/** So many rules are indexed at once; more only when it has shown that many paths will be asked about. */
const SMALL = 256
const PATHS_BEFORE_INDEX = 16

export class RuleIndex {
  readonly #text: string
  readonly #written: WrittenRules
  #book: RuleTable | null = null
  #asked = 0
  #isBuilt = false
  #grams: readonly GramIndex[] = []
  /** Winners first. */
  #others: readonly Rule[] = []

  constructor(text: string, written: WrittenRules) {
    this.#text = text
    this.#written = written
  }

  /** The rule that decides about a path in canonical form, if any matches. */
  decide(path: string): Rule | null {
    return this.#isBuilt ? this.#find(path) : this.#first(path)
  }

  #find(path: string): Rule | null {
    let best: Rule | null = null
    for (const index of this.#grams) best = index.decide(path, best)
    for (const rule of this.#others) {
      if (best !== null && !beats(rule, best)) return best
      if (matches(rule, path)) return rule
    }
    return best
  }

  /**
   * Nothing is made ready before it is asked for: most origins of a crawl have one robots.txt and a handful
   * of URLs.
   */
  #first(path: string): Rule | null {
    this.#book ??= new RuleTable(this.#text, this.#written)
    if (this.#book.count > SMALL && this.#asked++ < PATHS_BEFORE_INDEX) return scanRules(this.#book, path)
    this.#build(this.#book)
    return this.#find(path)
  }

  #build(book: RuleTable): void {
    this.#isBuilt = true
    if (book.count <= FEW) {
      this.#others = Array.from({ length: book.count }, (_, number) => book.rule(number)).sort(byWinner)
      return
    }
    const all = new Int32Array(book.count)
    for (let i = 0; i < all.length; i++) all[i] = i
    const threes = GramIndex.of(3, book, all)
    const twos = GramIndex.of(2, book, threes.rest)
    this.#grams = [threes.index, twos.index].filter(index => index !== null)
    this.#others = Array.from(twos.rest, number => book.rule(number)).sort(byWinner)
  }
}
