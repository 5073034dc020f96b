/**
 * Rules found without trying each of them: by letters that a path must hold for them to match. Those that have no two
 * letters in a row (`/`, `/*`) are few, and are tried one after the other.
 */
import { GramIndex } from './gram-index.js'
import { beats, byWinner, compileRules, matches, type Rule } from './rule.js'
import type { WrittenRules } from './written-rules.js'

export class RuleIndex {
  readonly #text: string
  readonly #written: WrittenRules
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
    if (!this.#isBuilt) this.#build()
    let best: Rule | null = null
    for (const index of this.#grams) best = index.decide(path, best)
    for (const rule of this.#others) {
      if (best !== null && !beats(rule, best)) return best
      if (matches(rule, path)) return rule
    }
    return best
  }

  /** Done when first asked: most origins of a crawl have one robots.txt and a handful of URLs. */
  #build(): void {
    this.#isBuilt = true
    const threes = GramIndex.of(3, compileRules(this.#text, this.#written))
    const twos = GramIndex.of(2, threes.rest)
    this.#grams = [threes.index, twos.index].filter(index => index !== null)
    this.#others = twos.rest.toSorted(byWinner)
  }
}
