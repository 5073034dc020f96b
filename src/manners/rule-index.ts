/**
 * Rules found by the literal beginning of their patterns: a binary search leads to the longest beginning that the path
 * has, its parents are all the others. So a hundred rules cost seven comparisons, and only patterns with wildcards
 * whose beginning fits are looked at.
 */
import { canonicalBytes, looseQuery } from './path-form.js'

export interface Rule {
  readonly isAllow: boolean
  readonly lineNumber: number
  /** The line, one character per byte. */
  readonly text: string
  /** Longer patterns win. */
  readonly weight: number
  readonly prefix: string
  /** What must follow the prefix, in this order and with anything between; null where there is no wildcard. */
  readonly pieces: readonly string[] | null
  readonly isAnchored: boolean
  /** Set by the index: the next rule with this prefix, and the first one with the next shorter prefix. */
  next: Rule | null
  parent: Rule | null
}

/** `pattern` has one character per byte; null when it can match no path. */
export function compileRule(
  pattern: string,
  isAllow: boolean,
  lineNumber: number,
  text: string,
): Rule | null {
  const first = pattern.charCodeAt(0)
  if (first !== 0x2f && first !== 0x2a) return null
  const isAnchored = pattern.endsWith('$')
  const body = looseQuery(isAnchored ? pattern.slice(0, -1) : pattern)
  const star = body.indexOf('*')
  const prefix = canonicalBytes(star < 0 ? body : body.slice(0, star))
  let weight = prefix.length + (isAnchored ? 1 : 0)
  let pieces: string[] | null = null
  if (star >= 0) {
    pieces = body
      .slice(star + 1)
      .split('*')
      .map(canonicalBytes)
    for (const piece of pieces) weight += piece.length + 1
  }
  return { isAllow, lineNumber, text, weight, prefix, pieces, isAnchored, next: null, parent: null }
}

export class RuleIndex {
  readonly #rules: readonly Rule[]
  /** The rule that wins among those of its prefix, for each prefix in order; sorted when first asked. */
  #heads: readonly Rule[] | null = null

  /** Each rule belongs to one index only. */
  constructor(rules: readonly Rule[]) {
    this.#rules = rules
  }

  /** The rule that decides about a path in canonical form, if any matches. */
  decide(path: string): Rule | null {
    let best: Rule | null = null
    for (let head = this.#longestPrefix(path); head !== null; head = head.parent) {
      let rule: Rule | null = head
      while (rule !== null && (best === null || beats(rule, best))) {
        if (matches(rule, path)) best = rule
        rule = rule.next
      }
    }
    return best
  }

  #longestPrefix(path: string): Rule | null {
    this.#heads ??= headsOf(this.#rules)
    const heads = this.#heads
    let low = 0
    let high = heads.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (heads[middle]!.prefix <= path) low = middle + 1
      else high = middle
    }
    let at = low === 0 ? null : heads[low - 1]!
    while (at !== null && !path.startsWith(at.prefix)) at = at.parent
    return at
  }
}

function headsOf(rules: readonly Rule[]): Rule[] {
  const heads: Rule[] = []
  let last: Rule | null = null
  for (const rule of [...rules].sort(byPrefixWinnerFirst)) {
    if (last !== null && last.prefix === rule.prefix) last.next = rule
    else {
      let shorter = heads.at(-1) ?? null
      while (shorter !== null && !rule.prefix.startsWith(shorter.prefix)) shorter = shorter.parent
      rule.parent = shorter
      heads.push(rule)
    }
    last = rule
  }
  return heads
}

/** Longest match; allow wins a tie. */
export function beats(rule: Rule, other: Rule): boolean {
  return rule.weight > other.weight || (rule.weight === other.weight && rule.isAllow && !other.isAllow)
}

function byPrefixWinnerFirst(a: Rule, b: Rule): number {
  if (a.prefix < b.prefix) return -1
  if (a.prefix !== b.prefix) return 1
  return b.weight - a.weight || Number(b.isAllow) - Number(a.isAllow) || a.lineNumber - b.lineNumber
}

/** The prefix is known to fit. Taking each piece where it first occurs is enough, so nothing is ever tried twice. */
function matches(rule: Rule, path: string): boolean {
  const { prefix, pieces, isAnchored } = rule
  let at = prefix.length
  if (pieces === null) return !isAnchored || at === path.length
  const last = isAnchored ? pieces.length - 1 : pieces.length
  for (let i = 0; i < last; i++) {
    const piece = pieces[i]!
    if (piece.length === 0) continue
    const found = path.indexOf(piece, at)
    if (found < 0) return false
    at = found + piece.length
  }
  return !isAnchored || (path.length - pieces[last]!.length >= at && path.endsWith(pieces[last]!))
}
