/** One Allow or Disallow line, ready for matching. */
import { canonicalBytes, isLiteral, looseQuery } from './path-form.js'

export interface RuleVerdict {
  readonly allowed: boolean
  readonly line: { readonly number: number; readonly text: string }
}

const DOLLAR = 0x24

export class Rule {
  /** Its index among the written rules. */
  readonly index: number
  readonly isAllow: boolean
  readonly isAnchored: boolean
  /** The text before the first wildcard, in canonical form. */
  readonly prefix: string
  /**
   * The text after the first wildcard, in canonical form; a string is split at its wildcards on first use.
   */
  tail: string | readonly string[] | null
  /** Octets of the pattern; the longest pattern wins. */
  readonly weight: number
  /** Made when first needed. */
  verdict: RuleVerdict | null = null

  constructor(index: number, isAllow: boolean, pattern: string) {
    this.index = index
    this.isAllow = isAllow
    this.isAnchored = pattern.charCodeAt(pattern.length - 1) === DOLLAR
    const length = this.isAnchored ? pattern.length - 1 : pattern.length
    if (isLiteral(pattern)) {
      const star = pattern.indexOf('*')
      this.prefix = pattern.slice(0, star < 0 ? length : star)
      this.tail = star < 0 ? null : pattern.slice(star + 1, length)
      this.weight = pattern.length
    } else {
      // `%2A` means a literal star, so the pattern is split before it is decoded.
      const pieces = looseQuery(pattern.slice(0, length)).split('*').map(canonicalBytes)
      this.prefix = pieces[0]!
      this.tail = pieces.length === 1 ? null : pieces.slice(1)
      this.weight = pieces.reduce((sum, piece) => sum + piece.length + 1, this.isAnchored ? 0 : -1)
    }
  }
}

/** The longer pattern wins, then allow, then the rule that comes first in the file. */
export function beats(rule: Rule, other: Rule): boolean {
  if (rule.weight !== other.weight) return rule.weight > other.weight
  return rule.isAllow === other.isAllow ? rule.index < other.index : rule.isAllow
}

/** Sorts the best rule first. */
export function byWinner(a: Rule, b: Rule): number {
  if (beats(a, b)) return -1
  return beats(b, a) ? 1 : 0
}

/** Takes each piece where it first occurs, which is enough, so nothing is tried twice. */
export function matches(rule: Rule, path: string): boolean {
  const { prefix, isAnchored } = rule
  if (!path.startsWith(prefix)) return false
  let at = prefix.length
  if (rule.tail === null) return !isAnchored || at === path.length
  if (typeof rule.tail === 'string') rule.tail = rule.tail.split('*')
  const pieces = rule.tail
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
