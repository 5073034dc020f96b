/**
 * page/parse/tags/: the tags and attributes that matter to a crawler, by number. In: the bytes of a tag. Out:
 * the numbers of its names, its traits, the values of its attributes. Always: names are told apart exactly as
 * the HTML tokenizer does.
 */
export {
  ATTRIBUTE_NAMES,
  Attribute,
  AttributeSlots,
  type AttributeSource,
  decodeValue,
} from './attributes.js'
export { startsWithLetters, TAG_CODES } from './names.js'
export { createSieve, createTagTable, TAG_NAMES, TAG_TRAITS, Tag, Trait, tagNumber } from './tags.js'
