/**
 * Writes chosen ranges of a page's bytes as text: white space collapsed, character references decoded, a line for each
 * block. Bytes go to bytes; a string is made only for a reference.
 */
import { decodeHTML } from 'entities/decode'
import { LIMITS } from '../model/limits.js'
import { Mark, type TextRanges } from './text-ranges.js'

const Class = { plain: 0, blank: 1, reference: 2, maybeNoBreakSpace: 3 } as const
const CLASSES = new Uint8Array(256)
CLASSES.fill(Class.blank, 0, 0x21)
CLASSES[0x26] = Class.reference
CLASSES[0xc2] = Class.maybeNoBreakSpace

/** A reference, or a space and a character, takes at most this many bytes. */
const SLACK = 64
const output = Buffer.allocUnsafe(LIMITS.textBytes + SLACK)

/** The chosen text, in a buffer of its own. `bytes` is valid UTF-8. */
export function writeText(bytes: Buffer, ranges: TextRanges): Buffer {
  const { mask, value } = ranges.choice()
  let length = 0
  let owed = 0
  for (let i = 0; i < ranges.count && length < LIMITS.textBytes; i++) {
    const marks = ranges.marks[i]!
    if ((marks & mask) !== value) {
      owed |= Mark.space | (marks & Mark.line)
      continue
    }
    const gap = (marks | owed) & (Mark.line | Mark.space)
    owed = 0
    if (length > 0 && gap !== 0) output[length++] = (gap & Mark.line) === 0 ? 0x20 : 0x0a
    length = copy(bytes, ranges.starts[i]!, ranges.ends[i]!, length, (marks & Mark.preformatted) !== 0)
  }
  return Buffer.from(output.subarray(0, wholeCharacters(length)))
}

function copy(bytes: Buffer, from: number, to: number, at: number, preformatted: boolean): number {
  let i = from
  let length = at
  while (i < to && length < LIMITS.textBytes) {
    const c = bytes[i]!
    const kind = CLASSES[c]
    if (kind === Class.plain) {
      output[length++] = c
      i++
    } else if (kind === Class.blank) {
      const run = i
      while (i < to && CLASSES[bytes[i]!] === Class.blank) i++
      output[length++] = preformatted && hasLineBreak(bytes, run, i) ? 0x0a : 0x20
    } else if (kind === Class.reference) {
      const end = referenceEnd(bytes, i, to)
      length += writeReference(bytes, i, end, length)
      i = end
    } else if (bytes[i + 1] === 0xa0) {
      output[length++] = 0x20
      i += 2
    } else {
      output[length++] = c
      i++
    }
  }
  return length
}

function hasLineBreak(bytes: Buffer, from: number, to: number): boolean {
  for (let i = from; i < to; i++) if (bytes[i] === 0x0a || bytes[i] === 0x0d) return true
  return false
}

/** The longest name has 31 letters. */
const REFERENCE_BYTES = 40

function referenceEnd(bytes: Buffer, at: number, to: number): number {
  const bound = Math.min(to, at + REFERENCE_BYTES)
  let i = at + 1
  if (i < bound && bytes[i] === 0x23) i++
  while (i < bound && isLetterOrDigit(bytes[i]!)) i++
  return i < bound && bytes[i] === 0x3b ? i + 1 : i
}

function isLetterOrDigit(c: number): boolean {
  return (c >= 0x30 && c <= 0x39) || ((c | 0x20) >= 0x61 && (c | 0x20) <= 0x7a)
}

/** Pages use the same few references. */
const decoded = new Map<string, Buffer>()
const DECODED_MAX = 512

function writeReference(bytes: Buffer, from: number, to: number, at: number): number {
  const source = bytes.latin1Slice(from, to)
  let target = decoded.get(source)
  if (target === undefined) {
    target = Buffer.from(decodeHTML(source).replaceAll('\u00a0', ' '))
    if (decoded.size < DECODED_MAX) decoded.set(source, target)
  }
  for (let i = 0; i < target.length; i++) output[at + i] = target[i]!
  return target.length
}

/** `length`, or a little less, so that the last character is whole. */
function wholeCharacters(length: number): number {
  if (length < LIMITS.textBytes) return length
  let end = LIMITS.textBytes
  while (end > 0 && (output[end]! & 0xc0) === 0x80) end--
  return end
}
