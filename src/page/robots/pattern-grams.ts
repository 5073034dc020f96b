/**
 * Finds the gram of a pattern: consecutive letters that every matching path contains. Works on the bytes of
 * the file, without a string for each of perhaps thirty thousand rules.
 */
import { canonicalBytes, isKept, looseQuery } from './path-form.js'
import type { RuleTable } from './rule-table.js'

/** Canonical text is ASCII. */
export const LETTER_BITS = 7
export const SPREAD = 0x9e3779b1
/** No rule, or no gram. */
export const NONE = -1

const COUNTED_BITS = 14
/** Grams are counted in this many rules, enough to estimate which are rare. */
const COUNTED_RULES = 512
const DOLLAR = 0x24
const PERCENT = 0x25
const STAR = 0x2a

/** Letters that have one spelling, in patterns and in paths. */
const PLAIN = new Uint8Array(256)
for (let c = 0; c < 256; c++) if (isKept(c) && c !== STAR) PLAIN[c] = 1

/** A rare gram of each rule: the fewer rules share it, the fewer are tried in vain. */
export function tellingGrams(letters: number, table: RuleTable, rules: Int32Array): Int32Array {
  const counts = countGrams(letters, table, rules)
  const grams = new Int32Array(rules.length)
  for (let i = 0; i < rules.length; i++) {
    const gram = plainGram(table.bytes, table.from[rules[i]!]!, table.to[rules[i]!]!, letters, counts)
    grams[i] = gram === NONE ? spelledGram(table.pattern(rules[i]!), letters, counts) : gram
  }
  return grams
}

export function maskOf(letters: number): number {
  return (1 << (LETTER_BITS * letters)) - 1
}

/** Counts grams in a sample of the rules, by hash. */
function countGrams(letters: number, table: RuleTable, rules: Int32Array): Uint32Array {
  const counts = new Uint32Array(1 << COUNTED_BITS)
  const mask = maskOf(letters)
  const step = Math.ceil(rules.length / COUNTED_RULES)
  for (let i = 0; i < rules.length; i += step) {
    const to = table.to[rules[i]!]!
    let gram = 0
    let have = 0
    for (let at = table.from[rules[i]!]!; at < to; at++) {
      const c = table.bytes[at]!
      gram = ((gram << LETTER_BITS) | c) & mask
      have = PLAIN[c] === 1 ? have + 1 : 0
      if (have >= letters) counts[hashOf(gram)]!++
    }
  }
  return counts
}

function hashOf(gram: number): number {
  return Math.imul(gram, SPREAD) >>> (32 - COUNTED_BITS)
}

/**
 * Searches from the end, where patterns differ, for a gram that needs no respelling; one found in a single
 * counted rule is good enough. The digits of an escape are not letters.
 */
function plainGram(
  bytes: Uint8Array,
  from: number,
  to: number,
  letters: number,
  counts: Uint32Array,
): number {
  let rarest = NONE
  let least = Number.POSITIVE_INFINITY
  for (let last = lastLetter(bytes, to); last - letters + 1 >= from; last--) {
    const gram = gramAt(bytes, from, last - letters + 1, letters)
    if (gram === NONE) continue
    const count = counts[hashOf(gram)]!
    if (count <= 1) return gram
    if (count >= least) continue
    least = count
    rarest = gram
  }
  return rarest
}

/** The position of the last letter; a `$` at the end is none. */
function lastLetter(bytes: Uint8Array, to: number): number {
  return bytes[to - 1] === DOLLAR ? to - 2 : to - 1
}

/** The gram at `at`, unless it needs respelling. */
function gramAt(bytes: Uint8Array, from: number, at: number, letters: number): number {
  if (at > from && (bytes[at - 1] === PERCENT || (at - 1 > from && bytes[at - 2] === PERCENT))) return NONE
  let gram = 0
  for (let i = at; i < at + letters; i++) {
    const c = bytes[i]!
    if (PLAIN[c] !== 1) return NONE
    gram = (gram << LETTER_BITS) | c
  }
  return gram
}

/** Finds the rarest gram of a pattern that needs respelling or is very short. */
function spelledGram(pattern: string, letters: number, counts: Uint32Array): number {
  const text = pattern.endsWith('$') ? pattern.slice(0, -1) : pattern
  let rarest = NONE
  let least = Number.POSITIVE_INFINITY
  for (const piece of looseQuery(text).split('*').map(canonicalBytes)) {
    for (let at = 0; at + letters <= piece.length; at++) {
      let gram = 0
      for (let i = at; i < at + letters; i++) gram = (gram << LETTER_BITS) | piece.charCodeAt(i)
      const count = counts[hashOf(gram)]!++
      if (count >= least) continue
      least = count
      rarest = gram
    }
  }
  return rarest
}
