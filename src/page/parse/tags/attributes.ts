/**
 * Reads the attributes of a tag by the states of the WHATWG tokenizer, because one misread quote would
 * swallow the rest of the page. Every loop ends at the sentinels behind the page (`page-memory.ts`); a
 * position past the page's end means that the page ended inside the tag.
 */
import { decodeHTMLAttribute } from 'entities/decode'
import { LIMITS } from '../../../model/index.js'
import { ATTRIBUTE_CODES, NameTable } from './names.js'

const NAMES = [
  ...['', 'href', 'src', 'rel', 'content', 'name', 'http-equiv', 'lang', 'xml:lang', 'srcset', 'imagesrcset'],
  ...['data', 'poster', 'role', 'type'],
] as const
type AttributeName = Exclude<(typeof NAMES)[number], ''>

/** Numbers of the attributes that are read. */
export const Attribute = Object.fromEntries(NAMES.map((name, number) => [name, number])) as Readonly<
  Record<AttributeName, number>
>
export const ATTRIBUTE_NAMES: readonly string[] = NAMES

/** Attributes of an element, read by the scanner or from a parsed tree. */
export interface AttributeSource {
  /** The value, character references decoded; null if the attribute is missing or above the size limit. */
  text(attribute: number): string | null
}

// Bytes between attributes; '/' only counts directly before '>'.
const GAP = new Uint8Array(256)
const SPACE = new Uint8Array(256)
const UNQUOTED_END = new Uint8Array(256)
for (const c of '\t\n\f\r ') {
  GAP[c.charCodeAt(0)] = 1
  SPACE[c.charCodeAt(0)] = 1
  UNQUOTED_END[c.charCodeAt(0)] = 1
}
GAP[0x2f] = 1
// Bytes that decide how a tag continues, and bytes that may precede the '=' of an attribute.
const DECISIVE = new Uint8Array(256)
for (const c of '=>"\'') DECISIVE[c.charCodeAt(0)] = 1
const NAME_END = new Uint8Array(256)
for (const c of 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_')
  NAME_END[c.charCodeAt(0)] = 1
UNQUOTED_END[0x3e] = 1

export class AttributeSlots implements AttributeSource {
  /** Whether the last tag ended in `/>`. */
  selfClosing = false
  #bytes: Buffer = Buffer.alloc(0)
  /** Number of the current tag; a slot is filled if its stamp equals it. */
  #serial = 0
  readonly #table = new NameTable(NAMES, ATTRIBUTE_CODES)
  readonly #stamps = new Float64Array(NAMES.length)
  readonly #starts = new Int32Array(NAMES.length)
  readonly #ends = new Int32Array(NAMES.length)

  attach(bytes: Buffer): void {
    this.#bytes = bytes
  }

  /** Skips the attributes that begin at `from`; returns the end of the tag. */
  skip(from: number): number {
    const bytes = this.#bytes
    let known = from
    let i = from
    for (;;) {
      while (DECISIVE[bytes[i]!] === 0) i++
      const c = bytes[i]
      if (c === 0x3e) {
        this.selfClosing = bytes[i - 1] === 0x2f
        return i + 1
      }
      // Nearly all attributes have the form name="value" without white space.
      const quote = bytes[i + 1]
      if (c !== 0x3d || NAME_END[bytes[i - 1]!] === 0 || (quote !== 0x22 && quote !== 0x27))
        return this.#skipOdd(known)
      i += 2
      while (bytes[i] !== quote) i++
      known = ++i
    }
  }

  /** Like `skip`, for attributes of any form. */
  #skipOdd(from: number): number {
    const bytes = this.#bytes
    let i = from
    for (;;) {
      const gap = i
      while (GAP[bytes[i]!] === 1) i++
      if (bytes[i] === 0x3e) {
        this.selfClosing = i > gap && bytes[i - 1] === 0x2f
        return i + 1
      }
      i++
      while (ATTRIBUTE_CODES[bytes[i]!] !== 0) i++
      while (SPACE[bytes[i]!] === 1) i++
      if (bytes[i] !== 0x3d) continue
      i++
      while (SPACE[bytes[i]!] === 1) i++
      const quote = bytes[i]
      if (quote === 0x22 || quote === 0x27) {
        do i++
        while (bytes[i] !== quote)
        i++
      } else while (UNQUOTED_END[bytes[i]!] === 0) i++
    }
  }

  /** Like `skip`, but stores the values of the attributes in `NAMES`; the first of a name counts. */
  read(from: number): number {
    const bytes = this.#bytes
    this.#serial++
    let i = from
    for (;;) {
      const gap = i
      while (GAP[bytes[i]!] === 1) i++
      if (bytes[i] === 0x3e) {
        this.selfClosing = i > gap && bytes[i - 1] === 0x2f
        return i + 1
      }
      i = this.#table.read(bytes, i)
      const name = this.#table.found
      while (SPACE[bytes[i]!] === 1) i++
      let start = i
      let end = i
      if (bytes[i] === 0x3d) {
        i++
        while (SPACE[bytes[i]!] === 1) i++
        const quote = bytes[i]
        if (quote === 0x22 || quote === 0x27) {
          start = ++i
          while (bytes[i] !== quote) i++
          end = i++
        } else {
          start = i
          while (UNQUOTED_END[bytes[i]!] === 0) i++
          end = i
        }
      }
      if (name !== 0) this.#keep(name, start, end)
    }
  }

  #keep(name: number, start: number, end: number): void {
    if (this.#stamps[name] === this.#serial) return
    this.#stamps[name] = this.#serial
    this.#starts[name] = start
    this.#ends[name] = end
  }

  /** The start of the value; -1 if the attribute is missing or above the size limit. */
  start(attribute: number): number {
    if (this.#stamps[attribute] !== this.#serial) return -1
    const start = this.#starts[attribute]!
    return this.#ends[attribute]! - start > LIMITS.attributeBytes ? -1 : start
  }

  /** The end of the value; valid only after `start` has found it. */
  end(attribute: number): number {
    return this.#ends[attribute]!
  }

  text(attribute: number): string | null {
    const start = this.start(attribute)
    return start < 0 ? null : decodeValue(this.#bytes, start, this.#ends[attribute]!)
  }
}

/** Decodes an attribute value as the HTML parser does. */
export function decodeValue(bytes: Buffer, start: number, end: number): string {
  let all = 0
  let references = false
  let nulls = false
  for (let i = start; i < end; i++) {
    const c = bytes[i]!
    all |= c
    if (c === 0x26) references = true
    else if (c === 0) nulls = true
  }
  let value = all > 127 ? bytes.utf8Slice(start, end) : bytes.latin1Slice(start, end)
  if (references) value = decodeHTMLAttribute(value)
  return nulls ? value.replaceAll('\0', '\ufffd') : value
}
