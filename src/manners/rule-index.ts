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
}

interface Beginning {
  readonly prefix: string
  /** Those that win stand first. */
  readonly rules: Rule[]
  parent: Beginning | null
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
  if (star < 0) {
    const prefix = canonicalBytes(body)
    const weight = prefix.length + (isAnchored ? 1 : 0)
    return { isAllow, lineNumber, text, weight, prefix, pieces: null, isAnchored }
  }
  const prefix = canonicalBytes(body.slice(0, star))
  const pieces = body.slice(star + 1).split('*')
  let weight = prefix.length + pieces.length + (isAnchored ? 1 : 0)
  for (let i = 0; i < pieces.length; i++) {
    pieces[i] = canonicalBytes(pieces[i]!)
    weight += pieces[i]!.length
  }
  return { isAllow, lineNumber, text, weight, prefix, pieces, isAnchored }
}

export class RuleIndex {
  readonly #beginnings: readonly Beginning[]

  constructor(rules: readonly Rule[]) {
    const byPrefix = new Map<string, Beginning>()
    for (const rule of rules) {
      const known = byPrefix.get(rule.prefix)
      if (known) known.rules.push(rule)
      else byPrefix.set(rule.prefix, { prefix: rule.prefix, rules: [rule], parent: null })
    }
    this.#beginnings = [...byPrefix.values()].sort((a, b) => (a.prefix < b.prefix ? -1 : 1))
    const open: Beginning[] = []
    for (const beginning of this.#beginnings) {
      while (open.length > 0 && !beginning.prefix.startsWith(open.at(-1)!.prefix)) open.pop()
      beginning.parent = open.at(-1) ?? null
      open.push(beginning)
      if (beginning.rules.length > 1) beginning.rules.sort(winnerFirst)
    }
  }

  /** The rule that decides about a path in canonical form, if any matches. */
  decide(path: string): Rule | null {
    let best: Rule | null = null
    for (let at = this.#longestBeginning(path); at !== null; at = at.parent) {
      for (const rule of at.rules) {
        if (best !== null && !beats(rule, best)) break
        if (!matches(rule, path)) continue
        best = rule
        break
      }
    }
    return best
  }

  #longestBeginning(path: string): Beginning | null {
    const all = this.#beginnings
    let low = 0
    let high = all.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (all[middle]!.prefix <= path) low = middle + 1
      else high = middle
    }
    let at = low === 0 ? null : all[low - 1]!
    while (at !== null && !path.startsWith(at.prefix)) at = at.parent
    return at
  }
}

/** Longest match; allow wins a tie. */
export function beats(rule: Rule, other: Rule): boolean {
  return rule.weight > other.weight || (rule.weight === other.weight && rule.isAllow && !other.isAllow)
}

function winnerFirst(a: Rule, b: Rule): number {
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
