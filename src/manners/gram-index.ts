/**
 * Rules found by a few letters in a row that a path must hold for them to match. A look at each letter of the path is
 * enough, however many rules there are; only those whose letters occur are tried.
 */
import { beats, byWinner, matches, type Rule } from './rule.js'

/** Canonical text is ASCII. */
const BITS = 7
const SPREAD = 0x9e3779b1
const COUNTED_BITS = 14
/** Letters of a pattern that are considered. */
const LOOKED_AT = 12

type Filed = Rule | Rule[]

export class GramIndex {
  readonly #letters: number
  /** Most letters have one rule: an array for each would be most of the work. */
  readonly #files: ReadonlyMap<number, Filed>
  /** A bit for the letters of every rule, several to one bit: most letters of a path end here. */
  readonly #filter: Uint32Array
  readonly #shift: number
  readonly #heaviest: number
  #decisions = 0

  private constructor(letters: number, files: ReadonlyMap<number, Filed>, heaviest: number) {
    this.#letters = letters
    this.#files = files
    this.#heaviest = heaviest
    const bits = Math.max(10, Math.ceil(Math.log2(files.size * 16)))
    this.#shift = 32 - bits
    this.#filter = new Uint32Array(1 << (bits - 5))
    for (const gram of files.keys()) {
      const slot = Math.imul(gram, SPREAD) >>> this.#shift
      this.#filter[slot >>> 5]! |= 1 << (slot & 31)
    }
  }

  /** Takes the rules that can be found by so many letters; the rest is left to others. */
  static of(
    letters: number,
    rules: readonly Rule[],
  ): { readonly index: GramIndex | null; readonly rest: readonly Rule[] } {
    const counts = new Uint32Array(1 << COUNTED_BITS)
    for (const rule of rules) countGrams(tellingText(rule), letters, counts)
    const files = new Map<number, Filed>()
    const rest: Rule[] = []
    let heaviest = 0
    for (const rule of rules) {
      const gram = rarestGram(tellingText(rule), letters, counts)
      if (gram === 0) {
        rest.push(rule)
        continue
      }
      const filed = files.get(gram)
      if (filed === undefined) files.set(gram, rule)
      else if (Array.isArray(filed)) filed.push(rule)
      else files.set(gram, [filed, rule])
      if (rule.weight > heaviest) heaviest = rule.weight
    }
    for (const filed of files.values()) if (Array.isArray(filed)) filed.sort(byWinner)
    return { index: files.size === 0 ? null : new GramIndex(letters, files, heaviest), rest }
  }

  /** The rule that decides, when `best` is what is known so far. */
  decide(path: string, best: Rule | null): Rule | null {
    if (best !== null && best.weight > this.#heaviest) return best
    const filter = this.#filter
    const shift = this.#shift
    const mask = maskOf(this.#letters)
    const decision = ++this.#decisions
    let winner = best
    let gram = 0
    for (let i = 0; i < path.length; i++) {
      gram = ((gram << BITS) | path.charCodeAt(i)) & mask
      const slot = Math.imul(gram, SPREAD) >>> shift
      if (((filter[slot >>> 5]! >>> (slot & 31)) & 1) === 0) continue
      const filed = this.#files.get(gram)
      if (filed !== undefined) winner = better(filed, path, winner, decision)
    }
    return winner
  }
}

/** A path may hold the same letters many times; their rules are tried once. */
function better(filed: Filed, path: string, best: Rule | null, decision: number): Rule | null {
  const isOne = !Array.isArray(filed)
  const first = isOne ? filed : filed[0]!
  if (first.seenAt === decision) return best
  first.seenAt = decision
  if (isOne) return (best === null || beats(first, best)) && matches(first, path) ? first : best
  for (const rule of filed) {
    if (best !== null && !beats(rule, best)) return best
    if (matches(rule, path)) return rule
  }
  return best
}

/** The end of the longest literal part of a pattern. */
function tellingText(rule: Rule): string {
  const { prefix, tail } = rule
  let longest = prefix
  if (typeof tail === 'string') longest = longestPart(tail, prefix)
  else if (tail !== null) for (const piece of tail) if (piece.length > longest.length) longest = piece
  return longest.length <= LOOKED_AT ? longest : longest.slice(-LOOKED_AT)
}

function longestPart(tail: string, prefix: string): string {
  let from = 0
  let to = 0
  for (let start = 0; start < tail.length; ) {
    const star = tail.indexOf('*', start)
    const end = star < 0 ? tail.length : star
    if (end - start > to - from) {
      from = start
      to = end
    }
    start = end + 1
  }
  return to - from > prefix.length ? tail.slice(Math.max(from, to - LOOKED_AT), to) : prefix
}

function maskOf(letters: number): number {
  return (1 << (BITS * letters)) - 1
}

/** How often each so many letters occur in all texts, those of one hash together. */
function countGrams(text: string, letters: number, counts: Uint32Array): void {
  const mask = maskOf(letters)
  let gram = 0
  for (let i = 0; i < text.length; i++) {
    gram = ((gram << BITS) | text.charCodeAt(i)) & mask
    if (i >= letters - 1) counts[Math.imul(gram, SPREAD) >>> (32 - COUNTED_BITS)]!++
  }
}

/** The fewer rules share their letters, the fewer are tried in vain. 0 when the text is too short. */
function rarestGram(text: string, letters: number, counts: Uint32Array): number {
  const mask = maskOf(letters)
  let rarest = 0
  let least = Number.POSITIVE_INFINITY
  let gram = 0
  for (let i = 0; i < text.length; i++) {
    gram = ((gram << BITS) | text.charCodeAt(i)) & mask
    if (i < letters - 1) continue
    const count = counts[Math.imul(gram, SPREAD) >>> (32 - COUNTED_BITS)]!
    if (count < least) {
      least = count
      rarest = gram
    }
  }
  return rarest
}
