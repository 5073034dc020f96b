/**
 * Rules found without trying each of them. Those that begin with literal text are in the order of it: a binary search
 * leads to the longest beginning that the path has, its parents are all the others. Those with a wildcard are found by
 * three letters of their literal text. So a hundred rules cost a few comparisons, whatever they are.
 */
import { GramIndex } from './gram-index.js'
import { beats, byWinner, compileRules, file, matches, type Rule } from './rule.js'

export class RuleIndex {
  readonly #text: string
  #written: readonly Rule[] | null
  #grams: GramIndex | null = null
  #prefixes: readonly string[] = []
  /** The rules of each prefix, winner first. */
  #heads: readonly Rule[] = []

  /** Each rule belongs to one index only. */
  constructor(text: string, written: readonly Rule[]) {
    this.#text = text
    this.#written = written
  }

  /** The rule that decides about a path in canonical form, if any matches. */
  decide(path: string): Rule | null {
    if (this.#written !== null) this.#build(this.#written)
    let best: Rule | null = null
    for (let head = this.#longestPrefix(path); head !== null; head = head.parent) {
      let rule: Rule | null = head
      while (rule !== null && (best === null || beats(rule, best))) {
        if (matches(rule, path)) best = rule
        rule = rule.next
      }
    }
    return this.#grams === null ? best : this.#grams.decide(path, best)
  }

  /** Done when first asked: most origins of a crawl have one robots.txt and a handful of URLs. */
  #build(written: readonly Rule[]): void {
    this.#written = null
    const found = GramIndex.of(compileRules(this.#text, written))
    this.#grams = found.index
    const byPrefix = new Map<string, Rule | Rule[]>()
    for (const rule of found.rest) file(byPrefix, rule.prefix, rule)
    this.#prefixes = [...byPrefix.keys()].sort()
    this.#heads = headsOf(this.#prefixes, byPrefix)
  }

  #longestPrefix(path: string): Rule | null {
    const prefixes = this.#prefixes
    let low = 0
    let high = prefixes.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (prefixes[middle]! <= path) low = middle + 1
      else high = middle
    }
    let at = low === 0 ? null : this.#heads[low - 1]!
    while (at !== null && !path.startsWith(at.prefix)) at = at.parent
    return at
  }
}

function headsOf(prefixes: readonly string[], byPrefix: ReadonlyMap<string, Rule | Rule[]>): Rule[] {
  const heads: Rule[] = []
  let shorter: Rule | null = null
  for (const prefix of prefixes) {
    const filed = byPrefix.get(prefix)!
    const head: Rule = Array.isArray(filed) ? chained(filed) : filed
    while (shorter !== null && !prefix.startsWith(shorter.prefix)) shorter = shorter.parent
    head.parent = shorter
    heads.push(head)
    shorter = head
  }
  return heads
}

function chained(rules: Rule[]): Rule {
  rules.sort(byWinner)
  for (let i = 1; i < rules.length; i++) rules[i - 1]!.next = rules[i]!
  return rules[0]!
}
