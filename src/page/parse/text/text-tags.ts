/**
 * The table by which `assembly/text.ts` looks up a tag: the key is made of the codes of its name, five bits a
 * letter; the value is the tag's action and number.
 */
import { TAG_CODES, TAG_NAMES, TAG_TRAITS, Tag, Trait } from '../tags/index.js'
import { gapOf, Mark } from './text-ranges.js'

/** Flags of an action, besides those of the gap. */
const Action = {
  /** Preformatted text begins or ends. */
  preformatted: Mark.preformatted,
  /** The scanner has to read its start tag, or its end tag. */
  startForHost: 8,
  endForHost: 16,
  /** The scanner has to read its start tag if that has a role or unusual attributes. */
  attributes: 32,
  anchor: 64,
} as const

const FOR_HOST = Trait.facts | Trait.requisites | Trait.raw | Trait.structure | Trait.boilerplate

const SLOT_BITS = 8n
const SCATTER = 0x9e3779b97f4a7c15n
/** Two words per slot: the key, then action and number. */
const TABLE_LENGTH = 2 << Number(SLOT_BITS)
/** The key of a longer name loses its first letters, but never equals the key of a name this short. */
const KEY_LETTERS = 11

/** The table for a scan that reads tags with one of the traits `wanted`. */
export function createTextTags(wanted: number): BigUint64Array {
  const table = new BigUint64Array(TABLE_LENGTH)
  for (let number = 1; number < TAG_NAMES.length; number++) {
    if ((TAG_TRAITS[number]! & wanted) === 0) continue
    const key = keyOf(TAG_NAMES[number]!)
    let slot = Number(BigInt.asUintN(64, key * SCATTER) >> (64n - SLOT_BITS))
    while (table[2 * slot] !== 0n) slot = (slot + 1) % (TABLE_LENGTH / 2)
    table[2 * slot] = key
    table[2 * slot + 1] = (BigInt(number) << 32n) | BigInt(actionOf(number, wanted))
  }
  return table
}

function actionOf(number: number, wanted: number): number {
  const traits = TAG_TRAITS[number]! & wanted
  let action = gapOf(traits)
  if (number === Tag.a) action |= Action.attributes | Action.anchor
  else if ((traits & FOR_HOST) !== 0) action |= Action.startForHost
  if ((traits & Trait.boilerplate) !== 0) action |= Action.endForHost
  if ((traits & Trait.role) !== 0) action |= Action.attributes
  return number === Tag.pre ? action | Action.preformatted : action
}

function keyOf(name: string): bigint {
  if (name.length > KEY_LETTERS)
    throw new Error(`the name of a tag that matters to the text is too long: ${name}`)
  let key = 0n
  for (let i = 0; i < name.length; i++) key = (key << 5n) | BigInt(TAG_CODES[name.charCodeAt(i)]!)
  return key
}
