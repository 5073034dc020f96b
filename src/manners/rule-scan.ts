/**
 * Goes through all rules for one path: dearer than an index for each path, but there is nothing to build first. A rule
 * whose letters do not all occur in the path is passed over without being made an object.
 */
import { gramAt, LETTER_BITS, lastLetter, maskOf, NONE, SPREAD } from './pattern-grams.js'
import { beats, matches, type Rule } from './rule.js'
import type { RuleBook } from './rule-book.js'

const LETTERS = 3
const HASH_BITS = 13
const SHIFT = 32 - HASH_BITS

export function scanRules(book: RuleBook, path: string): Rule | null {
  const held = gramsOf(path)
  const { bytes, from, to, count } = book
  let best: Rule | null = null
  for (let number = 0; number < count; number++) {
    if (!mayMatch(bytes, from[number]!, to[number]!, held)) continue
    const rule = book.rule(number)
    if ((best === null || beats(rule, best)) && matches(rule, path)) best = rule
  }
  return best
}

/** False when the path lacks letters of the pattern; looks from the end, where patterns differ. */
function mayMatch(bytes: Uint8Array, from: number, to: number, held: Uint8Array): boolean {
  for (let at = lastLetter(bytes, to) - LETTERS + 1; at >= from; at--) {
    const gram = gramAt(bytes, from, at, LETTERS)
    if (gram !== NONE && held[Math.imul(gram, SPREAD) >>> SHIFT] === 0) return false
  }
  return true
}

/** By hash, so that one more may be there than is. */
function gramsOf(path: string): Uint8Array {
  const held = new Uint8Array(1 << HASH_BITS)
  const mask = maskOf(LETTERS)
  let gram = 0
  for (let i = 0; i < path.length; i++) {
    gram = ((gram << LETTER_BITS) | path.charCodeAt(i)) & mask
    if (i >= LETTERS - 1) held[Math.imul(gram, SPREAD) >>> SHIFT] = 1
  }
  return held
}
