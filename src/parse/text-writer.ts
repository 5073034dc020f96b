/**
 * Writes chosen ranges of a page's bytes as text: white space collapsed, character references decoded, a line for each
 * block. Bytes go to bytes; a string is made only for a reference.
 */
import { decodeHTML } from 'entities/decode'
import { LIMITS } from '../model/limits.js'
import { Mark, type TextRanges } from './text-ranges.js'

/** Kinds of bytes. A run in which no kind and the one before it add up to more than 1 is copied as it stands. */
const Kind = { plain: 0, space: 1, blank: 2, special: 3 } as const
const KINDS = new Uint8Array(256)
KINDS.fill(Kind.blank, 0, 0x20)
KINDS[0x20] = Kind.space
KINDS[0x26] = Kind.special // a character reference
KINDS[0xc2] = Kind.special // perhaps a no-break space

/** A run this long is copied by the machine's own instructions; setting them up costs more than a short run. */
const LONG_RUN = 64

/** Text is cut once it is longer than it may be: by less than this. */
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
    if (gap !== 0) length = appendBlank(length, (gap & Mark.line) !== 0)
    length = copy(bytes, ranges.starts[i]!, ranges.ends[i]!, length, (marks & Mark.preformatted) !== 0)
  }
  const text = Buffer.allocUnsafe(wholeCharacters(length))
  output.copy(text, 0, 0, text.length)
  return text
}

function copy(bytes: Buffer, from: number, to: number, at: number, preformatted: boolean): number {
  let length = at
  let i = from
  while (i < to && length < LIMITS.textBytes) {
    const run = i
    // A space is not copied where a blank was written already.
    let previous = length > 0 && output[length - 1]! <= 0x20 ? 1 : 0
    for (; i < to; i++) {
      const kind = KINDS[bytes[i]!]!
      if (kind + previous > 1) break
      previous = kind
    }
    length = append(bytes, run, i, length)
    if (i === to) break
    if (bytes[i] === 0x26) {
      const end = referenceEnd(bytes, i, to)
      length = writeReference(bytes, i, end, length)
      i = end
    } else if (bytes[i] === 0xc2 && bytes[i + 1] !== 0xa0) {
      length = append(bytes, i, i + 2, length)
      i += 2
    } else {
      const end = blankEnd(bytes, i, to)
      length = appendBlank(length, preformatted && hasLineBreak(bytes, i, end))
      i = end
    }
  }
  return length
}

function append(bytes: Buffer, from: number, to: number, at: number): number {
  // A few bytes more, so that the cut can see whether it falls inside a character.
  const end = Math.min(to, from + LIMITS.textBytes + 4 - at)
  if (end - from > LONG_RUN) bytes.copy(output, at, from, end)
  else for (let i = from; i < end; i++) output[at + i - from] = bytes[i]!
  return at + end - from
}

/** One blank between two words, whatever stood there; none at the start. */
function appendBlank(at: number, line: boolean): number {
  if (at === 0) return 0
  if (output[at - 1]! <= 0x20) {
    if (line) output[at - 1] = 0x0a
    return at
  }
  output[at] = line ? 0x0a : 0x20
  return at + 1
}

/** Behind white space, control characters and no-break spaces. */
function blankEnd(bytes: Buffer, from: number, to: number): number {
  let i = from
  while (i < to) {
    if (bytes[i]! <= 0x20) i++
    else if (bytes[i] === 0xc2 && bytes[i + 1] === 0xa0) i += 2
    else break
  }
  return i
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
    if (decoded.size >= DECODED_MAX) decoded.clear()
    decoded.set(source, target)
  }
  if (target.length === 1 && target[0]! <= 0x20) return appendBlank(at, false)
  for (let i = 0; i < target.length; i++) output[at + i] = target[i]!
  return at + target.length
}

/** `length`, or a little less, so that the last character is whole. */
function wholeCharacters(length: number): number {
  if (length <= LIMITS.textBytes) return length
  let end = LIMITS.textBytes
  while (end > 0 && (output[end]! & 0xc0) === 0x80) end--
  return end
}
