/** One Allow or Disallow line. It is taken down when the file is read and made ready when the first URL is judged. */
import { canonicalBytes, isLiteral, looseQuery } from './path-form.js'
import type { Line } from './robots-lines.js'

export interface RuleVerdict {
  readonly allowed: boolean
  readonly line: { readonly number: number; readonly text: string }
}

const SLASH = 0x2f
const STAR = 0x2a
const DOLLAR = 0x24

/** A class, and one object a line: a file may have thirty thousand of them. */
export class Rule {
  readonly isAllow: boolean
  readonly number: number
  readonly start: number
  readonly end: number
  readonly valueStart: number
  /** Octets of the pattern: the longest wins. */
  weight = 0
  /** Literal text up to the first wildcard, in canonical form. */
  prefix = ''
  /** What follows the first wildcard, in canonical form, where that holds no other wildcards than it seems to. */
  rest: string | null = null
  /** The same, part by part; made when first needed. */
  pieces: readonly string[] | null = null
  isWild = false
  isAnchored = false
  /** The next rule with this prefix, and the first one with the next shorter prefix; set by the index. */
  next: Rule | null = null
  parent: Rule | null = null
  /** The last decision that tried it and those filed with it. */
  seenAt = 0
  /** What is said of a URL that this rule decides about; made when first needed. */
  verdict: RuleVerdict | null = null

  constructor(isAllow: boolean, line: Readonly<Line>) {
    this.isAllow = isAllow
    this.number = line.number
    this.start = line.start
    this.end = line.end
    this.valueStart = line.valueStart
  }
}

/** Makes the rules of `text` ready, which has one character per byte; those that can match no path are left out. */
export function compileRules(text: string, written: readonly Rule[]): Rule[] {
  const rules: Rule[] = []
  for (const rule of written) {
    const first = text.charCodeAt(rule.valueStart)
    if (rule.valueStart === rule.end || (first !== SLASH && first !== STAR)) continue
    const pattern = text.slice(rule.valueStart, rule.end)
    compile(rule, pattern)
    rules.push(rule)
    // Google: who allows the index page allows the directory it stands for.
    const slash = rule.isAllow ? pattern.lastIndexOf('/') : -1
    if (slash >= 0 && pattern.startsWith('/index.htm', slash)) {
      const directory = new Rule(true, rule)
      compile(directory, `${pattern.slice(0, slash + 1)}$`)
      rules.push(directory)
    }
  }
  return rules
}

function compile(rule: Rule, pattern: string): void {
  rule.isAnchored = pattern.charCodeAt(pattern.length - 1) === DOLLAR
  const length = rule.isAnchored ? pattern.length - 1 : pattern.length
  if (!isLiteral(pattern)) {
    compileOdd(rule, pattern.slice(0, length))
    return
  }
  const star = pattern.indexOf('*')
  rule.isWild = star >= 0
  rule.weight = pattern.length
  rule.prefix = pattern.slice(0, star < 0 ? length : star)
  if (rule.isWild) rule.rest = pattern.slice(star + 1, length)
}

/** With encoded characters: `%2A` is a star that is meant, so the pieces are taken apart first. */
function compileOdd(rule: Rule, literal: string): void {
  const [prefix, ...pieces] = looseQuery(literal).split('*').map(canonicalBytes)
  rule.prefix = prefix!
  rule.isWild = pieces.length > 0
  if (rule.isWild) rule.pieces = pieces
  rule.weight = prefix!.length + pieces.length + (rule.isAnchored ? 1 : 0)
  for (const piece of pieces) rule.weight += piece.length
}

/** Longest match; allow wins a tie. */
export function beats(rule: Rule, other: Rule): boolean {
  return rule.weight > other.weight || (rule.weight === other.weight && rule.isAllow && !other.isAllow)
}

/** Winners first; of equals the one that stands first in the file. */
export function byWinner(a: Rule, b: Rule): number {
  return b.weight - a.weight || Number(b.isAllow) - Number(a.isAllow) || a.number - b.number
}

/** Files a rule under a key. Most keys have one rule, and an array for each would be most of the work. */
export function file<K>(files: Map<K, Rule | Rule[]>, key: K, rule: Rule): void {
  const filed = files.get(key)
  if (filed === undefined) files.set(key, rule)
  else if (Array.isArray(filed)) filed.push(rule)
  else files.set(key, [filed, rule])
}

/** The prefix is known to fit. Taking each piece where it first occurs is enough, so nothing is ever tried twice. */
export function matches(rule: Rule, path: string): boolean {
  const { prefix, isAnchored } = rule
  let at = prefix.length
  if (!rule.isWild) return !isAnchored || at === path.length
  rule.pieces ??= rule.rest!.split('*')
  const pieces = rule.pieces
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
