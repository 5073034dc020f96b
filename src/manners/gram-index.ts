/**
 * Patterns with wildcards, found by three letters in a row that a path must hold for them to match. A look at each
 * letter of the path is enough, however many patterns there are; only those whose letters occur are tried.
 */
import { beats, byWinner, file, matches, type Rule } from './rule.js'

const GRAM = 3
/** Canonical text is ASCII. */
const BITS = 7
const MASK = (1 << (BITS * GRAM)) - 1
const SPREAD = 0x9e3779b1
const COUNTED_BITS = 14
/** Letters of a pattern that are considered. */
const LOOKED_AT = 12

export class GramIndex {
  readonly #rules: ReadonlyMap<number, Rule | readonly Rule[]>
  /** A bit for the letters of every rule, several to one bit: most letters of a path end here. */
  readonly #filter: Uint32Array
  readonly #shift: number
  readonly #heaviest: number
  #decisions = 0

  private constructor(rules: ReadonlyMap<number, Rule | readonly Rule[]>, heaviest: number) {
    this.#rules = rules
    this.#heaviest = heaviest
    const bits = Math.max(10, Math.ceil(Math.log2(rules.size * 16)))
    this.#shift = 32 - bits
    this.#filter = new Uint32Array(1 << (bits - 5))
    for (const gram of rules.keys()) {
      const slot = Math.imul(gram, SPREAD) >>> this.#shift
      this.#filter[slot >>> 5]! |= 1 << (slot & 31)
    }
  }

  /** Takes the rules that can be found by letters; the rest is left to others. */
  static of(rules: readonly Rule[]): { readonly index: GramIndex | null; readonly rest: readonly Rule[] } {
    const rest: Rule[] = []
    const taken: Rule[] = []
    for (const rule of rules) (rule.isWild && tellingText(rule).length >= GRAM ? taken : rest).push(rule)
    if (taken.length === 0) return { index: null, rest }
    const counts = new Uint32Array(1 << COUNTED_BITS)
    for (const rule of taken) countGrams(tellingText(rule), counts)
    const files = new Map<number, Rule | Rule[]>()
    let heaviest = 0
    for (const rule of taken) {
      file(files, rarestGram(tellingText(rule), counts), rule)
      if (rule.weight > heaviest) heaviest = rule.weight
    }
    for (const filed of files.values()) if (Array.isArray(filed)) filed.sort(byWinner)
    return { index: new GramIndex(files, heaviest), rest }
  }

  /** The rule that decides, when `best` is what is known so far. */
  decide(path: string, best: Rule | null): Rule | null {
    if (best !== null && best.weight > this.#heaviest) return best
    const filter = this.#filter
    const shift = this.#shift
    const decision = ++this.#decisions
    let winner = best
    let gram = (path.charCodeAt(0) << BITS) | path.charCodeAt(1)
    for (let i = 2; i < path.length; i++) {
      gram = ((gram << BITS) | path.charCodeAt(i)) & MASK
      const slot = Math.imul(gram, SPREAD) >>> shift
      if (((filter[slot >>> 5]! >>> (slot & 31)) & 1) === 0) continue
      const filed = this.#rules.get(gram)
      if (filed !== undefined) winner = bestOf(filed, path, winner, decision)
    }
    return winner
  }
}

/** A path may hold the same letters many times; their rules are tried once. */
function bestOf(
  filed: Rule | readonly Rule[],
  path: string,
  best: Rule | null,
  decision: number,
): Rule | null {
  const rules = Array.isArray(filed) ? (filed as readonly Rule[]) : null
  const first = rules === null ? (filed as Rule) : rules[0]!
  if (first.seenAt === decision) return best
  first.seenAt = decision
  const count = rules === null ? 1 : rules.length
  for (let i = 0; i < count; i++) {
    const rule = rules === null ? first : rules[i]!
    if (best !== null && !beats(rule, best)) return best
    if (path.startsWith(rule.prefix) && matches(rule, path)) return rule
  }
  return best
}

/** The end of the longest literal piece behind a wildcard. */
function tellingText(rule: Rule): string {
  let longest = ''
  if (rule.pieces !== null) {
    for (const piece of rule.pieces) if (piece.length > longest.length) longest = piece
    return longest.slice(-LOOKED_AT)
  }
  const rest = rule.rest!
  let from = 0
  let to = 0
  for (let start = 0; start < rest.length; ) {
    const star = rest.indexOf('*', start)
    const end = star < 0 ? rest.length : star
    if (end - start > to - from) {
      from = start
      to = end
    }
    start = end + 1
  }
  return rest.slice(Math.max(from, to - LOOKED_AT), to)
}

/** How often each three letters occur in all texts, those of one hash together. */
function countGrams(text: string, counts: Uint32Array): void {
  let gram = 0
  for (let i = 0; i < text.length; i++) {
    gram = ((gram << BITS) | text.charCodeAt(i)) & MASK
    if (i >= GRAM - 1) counts[Math.imul(gram, SPREAD) >>> (32 - COUNTED_BITS)]!++
  }
}

/** The fewer patterns share their letters, the fewer are tried in vain. */
function rarestGram(text: string, counts: Uint32Array): number {
  let rarest = 0
  let least = Number.POSITIVE_INFINITY
  let gram = 0
  for (let i = 0; i < text.length; i++) {
    gram = ((gram << BITS) | text.charCodeAt(i)) & MASK
    if (i < GRAM - 1) continue
    const count = counts[Math.imul(gram, SPREAD) >>> (32 - COUNTED_BITS)]!
    if (count < least) {
      least = count
      rarest = gram
    }
  }
  return rarest
}
