/**
 * Finds the rule that decides about a path. A rule is tried only if the path contains a gram of its pattern.
 * The few rules without a gram (`/`, `/*`) are tried one after the other.
 */
import { GramIndex } from './gram-index.js'
import { beats, byWinner, matches, type Rule } from './rule.js'
import { RuleTable } from './rule-table.js'
import type { WrittenRules } from './written-rules.js'

/** Up to this many rules, trying each is faster than an index. */
const FEW = 4

export class RuleIndex {
  readonly #text: string
  readonly #written: WrittenRules
  /** Null before the first decision: of many origins no URL is requested. */
  #grams: readonly GramIndex[] | null = null
  /** Best rule first. */
  #others: readonly Rule[] = []

  constructor(text: string, written: WrittenRules) {
    this.#text = text
    this.#written = written
  }

  /** The rule that decides about a path in canonical form, if any matches. */
  decide(path: string): Rule | null {
    const grams = this.#grams ?? this.#build()
    let best: Rule | null = null
    for (const index of grams) best = index.decide(path, best)
    for (const rule of this.#others) {
      if (best !== null && !beats(rule, best)) return best
      if (matches(rule, path)) return rule
    }
    return best
  }

  #build(): readonly GramIndex[] {
    const table = new RuleTable(this.#text, this.#written)
    const all = Int32Array.from({ length: table.count }, (_, number) => number)
    const isFew = table.count <= FEW
    const threes = isFew ? { index: null, rest: all } : GramIndex.of(3, table, all)
    const twos = isFew ? threes : GramIndex.of(2, table, threes.rest)
    this.#grams = [threes.index, twos.index].filter(index => index !== null)
    this.#others = Array.from(twos.rest, number => table.rule(number)).sort(byWinner)
    return this.#grams
  }
}
