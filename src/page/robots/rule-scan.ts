/**
 * Goes through all rules for one path: dearer than an index for each path, but there is nothing to build
 * first. A rule whose letters do not all occur in the path is passed over without being made an object.
 */
import { LETTER_BITS, maskOf, SPREAD } from './pattern-grams.js'
import { robotsMemory } from './robots-memory.js'
import { beats, matches, type Rule } from './rule.js'
import type { RuleTable } from './rule-table.js'

const LETTERS = 3

export function scanRules(book: RuleTable, path: string): Rule | null {
  const { bytes, from, to, count } = book
  const memory = robotsMemory()
  const held = gramsOf(path, memory.heldBits)
  let best: Rule | null = null
  for (const number of memory.mayMatch(bytes, from.subarray(0, count), to.subarray(0, count), held)) {
    const rule = book.rule(number)
    if ((best === null || beats(rule, best)) && matches(rule, path)) best = rule
  }
  return best
}

/** By hash, so that one more may be there than is. */
function gramsOf(path: string, bits: number): Uint8Array {
  const held = new Uint8Array(1 << bits)
  const mask = maskOf(LETTERS)
  let gram = 0
  for (let i = 0; i < path.length; i++) {
    gram = ((gram << LETTER_BITS) | path.charCodeAt(i)) & mask
    if (i >= LETTERS - 1) held[Math.imul(gram, SPREAD) >>> (32 - bits)] = 1
  }
  return held
}
