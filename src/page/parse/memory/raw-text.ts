/** Finds the end of content without tags: script, style, title, textarea, comments and the like. */
import { startsWithLetters, TAG_CODES } from '../tags/index.js'
import type { PageMemory } from './page-memory.js'

/** A longer run is searched with SIMD; for a shorter one the call costs more than it saves. */
const LONG_RUN = 16

/** The next '<' at or after `from`; the sentinel if there is none. */
export function nextTag({ bytes, wasm }: PageMemory, from: number): number {
  const long = from + LONG_RUN
  let i = from
  while (bytes[i] !== 0x3c) if (++i === long) return wasm.nextBracket(i)
  return i
}

/** Position of the end tag `</name` that closes raw text, or `length` if the page ends first. */
export function rawTextEnd(memory: PageMemory, from: number, length: number, name: string): number {
  const { bytes } = memory
  for (let i = nextTag(memory, from); i < length; i = nextTag(memory, i + 1))
    if (bytes[i + 1] === 0x2f && isName(bytes, i + 2, name)) return i
  return length
}

function isName(bytes: Buffer, at: number, name: string): boolean {
  return startsWithLetters(bytes, at, name) && TAG_CODES[bytes[at + name.length]!] === 0
}

/**
 * Like `rawTextEnd` for script, where `<!--` hides a `<script>` and its end tag until `-->` (the tokenizer's
 * escaped and double escaped states).
 */
export function scriptEnd(memory: PageMemory, from: number, length: number): number {
  const { bytes } = memory
  for (let i = nextTag(memory, from); i < length; i = nextTag(memory, i + 1)) {
    if (bytes[i + 1] === 0x2f) {
      if (isName(bytes, i + 2, 'script')) return i
    } else if (bytes[i + 1] === 0x21 && bytes[i + 2] === 0x2d && bytes[i + 3] === 0x2d) {
      i = escapedScriptEnd(bytes, i + 2, length)
      if (bytes[i] === 0x3c || i >= length) return Math.min(i, length)
    }
  }
  return length
}

/**
 * From the dashes of `<!--` to the '>' that ends the escape, the '<' of the script's end tag, or the page's
 * end.
 */
function escapedScriptEnd(bytes: Buffer, dashes: number, length: number): number {
  let double = false
  for (let i = dashes + 2; i < length; i++) {
    const c = bytes[i]
    if (c === 0x3e) {
      if (bytes[i - 1] === 0x2d && bytes[i - 2] === 0x2d) return i
    } else if (c === 0x3c) {
      if (bytes[i + 1] === 0x2f) {
        if (!isName(bytes, i + 2, 'script')) continue
        if (!double) return i
        double = false
      } else if (!double) double = isName(bytes, i + 1, 'script')
    }
  }
  return length
}

/**
 * The end of a comment whose text begins at `from` (after `<!--`); past the page's end if it is never closed.
 */
export function commentEnd(bytes: Buffer, from: number, length: number): number {
  if (bytes[from] === 0x3e) return from + 1
  if (bytes[from] === 0x2d && bytes[from + 1] === 0x3e) return from + 2
  for (let i = from; ; i++) {
    while (bytes[i] !== 0x3e) i++
    if (i >= length) return i + 1
    const dash = bytes[i - 1] === 0x21 ? i - 2 : i - 1
    if (dash > from && bytes[dash] === 0x2d && bytes[dash - 1] === 0x2d) return i + 1
  }
}
