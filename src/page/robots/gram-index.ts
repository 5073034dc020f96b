/**
 * Finds rules by a gram: a few consecutive letters that a path must contain to match the rule. One lookup for
 * each letter of the path is enough, however many rules there are.
 */
import { LETTER_BITS, maskOf, NONE, SPREAD, tellingGrams } from './pattern-grams.js'
import { beats, matches, type Rule } from './rule.js'
import type { RuleTable } from './rule-table.js'

export class GramIndex {
  readonly #mask: number
  readonly #table: RuleTable
  /** Numbers of the rules, and the gram of each. */
  readonly #rules: Int32Array
  readonly #grams: Int32Array
  /** The first rule of each hash of grams, and the next rule of each rule. */
  readonly #heads: Int32Array
  readonly #next: Int32Array
  readonly #headShift: number
  /** A Bloom filter of all grams, which rejects most letters of a path. */
  readonly #filter: Uint32Array
  readonly #filterShift: number
  /** The last decision that tried the rules of this one's gram. */
  readonly #seenAt: Uint32Array
  #decisions = 0

  private constructor(letters: number, table: RuleTable, rules: Int32Array, grams: Int32Array) {
    this.#mask = maskOf(letters)
    this.#table = table
    this.#rules = rules
    this.#grams = grams
    const bits = Math.max(6, Math.ceil(Math.log2(rules.length * 2)))
    this.#headShift = 32 - bits
    this.#heads = new Int32Array(1 << bits).fill(NONE)
    this.#next = new Int32Array(rules.length)
    this.#seenAt = new Uint32Array(rules.length)
    this.#filterShift = 32 - (bits + 4)
    this.#filter = new Uint32Array(1 << (bits - 1))
    // Backwards, so that each chain is in the order of the file.
    for (let i = rules.length - 1; i >= 0; i--) this.#file(i)
  }

  /** Indexes the rules that have a gram of so many letters, and returns the others as `rest`. */
  static of(
    letters: number,
    table: RuleTable,
    rules: Int32Array,
  ): { readonly index: GramIndex | null; readonly rest: Int32Array } {
    const grams = tellingGrams(letters, table, rules)
    const rest = rules.filter((_, i) => grams[i] === NONE)
    if (rest.length === 0) return { index: new GramIndex(letters, table, rules, grams), rest }
    if (rest.length === rules.length) return { index: null, rest }
    const filed = rules.filter((_, i) => grams[i] !== NONE)
    const telling = grams.filter(gram => gram !== NONE)
    return { index: new GramIndex(letters, table, filed, telling), rest }
  }

  /** The rule that decides; `best` is the best rule found so far. */
  decide(path: string, best: Rule | null): Rule | null {
    const filter = this.#filter
    const shift = this.#filterShift
    const mask = this.#mask
    const decision = ++this.#decisions
    let winner = best
    let gram = 0
    for (let i = 0; i < path.length; i++) {
      gram = ((gram << LETTER_BITS) | path.charCodeAt(i)) & mask
      const slot = Math.imul(gram, SPREAD) >>> shift
      if (((filter[slot >>> 5]! >>> (slot & 31)) & 1) !== 0)
        winner = this.#better(gram, path, winner, decision)
    }
    return winner
  }

  /** A path may contain a gram many times; its rules are tried once. */
  #better(gram: number, path: string, best: Rule | null, decision: number): Rule | null {
    let winner = best
    let isFirst = true
    let at = this.#heads[Math.imul(gram, SPREAD) >>> this.#headShift]!
    for (; at !== NONE; at = this.#next[at]!) {
      if (this.#grams[at] !== gram) continue
      if (isFirst && this.#seenAt[at] === decision) return winner
      if (isFirst) this.#seenAt[at] = decision
      isFirst = false
      const rule = this.#table.rule(this.#rules[at]!)
      if ((winner === null || beats(rule, winner)) && matches(rule, path)) winner = rule
    }
    return winner
  }

  #file(i: number): void {
    const hash = Math.imul(this.#grams[i]!, SPREAD)
    const head = hash >>> this.#headShift
    this.#next[i] = this.#heads[head]!
    this.#heads[head] = i
    const slot = hash >>> this.#filterShift
    this.#filter[slot >>> 5]! |= 1 << (slot & 31)
  }
}
