/**
 * Writes the chosen ranges of a page as text: white space collapsed, character references decoded, a line for
 * each block. It copies bytes; only a reference needs a string.
 */
import { decodeHTML } from 'entities/decode'
import { LIMITS } from '../../../model/index.js'
import type { PageMemory } from '../memory/index.js'
import { Mark, type TextRanges } from './text-ranges.js'

export class TextWriter {
  #bytes: Buffer = Buffer.alloc(0)
  #wasm!: PageMemory['wasm']
  /**
   * Start of the text, current position, and limit; writing may pass the limit a little before the text is
   * cut.
   */
  #start = 0
  #at = 0
  #limit = 0

  /** Returns the chosen text as a view of `memory`, written from `textStart` on. The page is valid UTF-8. */
  write({ bytes, wasm }: PageMemory, ranges: TextRanges, textStart: number): Buffer {
    this.#bytes = bytes
    this.#wasm = wasm
    this.#start = textStart
    this.#at = textStart
    this.#limit = textStart + LIMITS.textBytes
    this.#writeRanges(ranges)
    if (this.#at > textStart && bytes[this.#at - 1]! <= 0x20) this.#at--
    return bytes.subarray(textStart, this.#wholeCharacters())
  }

  #writeRanges(ranges: TextRanges): void {
    const { mask, value } = ranges.choice()
    let owed = 0
    for (let i = 0; i < ranges.count && this.#at < this.#limit; i++) {
      const marks = ranges.marks[i]!
      if ((marks & mask) !== value) {
        owed |= Mark.space | (marks & Mark.line)
        continue
      }
      const gap = (marks | owed) & (Mark.line | Mark.space)
      owed = 0
      if (gap !== 0) this.#appendBlank((gap & Mark.line) !== 0)
      this.#writeRange(ranges.starts[i]!, ranges.ends[i]!, (marks & Mark.preformatted) !== 0)
    }
  }

  #writeRange(from: number, to: number, preformatted: boolean): void {
    const bytes = this.#bytes
    let i = from
    while (i < to && this.#at < this.#limit) {
      i = this.#appendRun(i, to)
      if (i === to) return
      if (bytes[i] === 0x26) {
        const end = referenceEnd(bytes, i, to)
        this.#appendReference(i, end)
        i = end
      } else if (bytes[i] === 0xc2 && bytes[i + 1] !== 0xa0) {
        bytes[this.#at++] = bytes[i++]!
        bytes[this.#at++] = bytes[i++]!
      } else {
        const end = blankEnd(bytes, i, to)
        this.#appendBlank(preformatted && hasLineBreak(bytes, i, end))
        i = end
      }
    }
  }

  /** Copies bytes up to the first that needs treatment; returns its position. */
  #appendRun(from: number, to: number): number {
    const at = this.#at
    // A space is copied neither at the start of the text nor after another blank.
    const afterSpace = at === this.#start || this.#bytes[at - 1]! <= 0x20 ? 1 : 0
    // A few bytes above the limit show whether the cut falls inside a character.
    const end = this.#wasm.copyRun(from, Math.min(to, from + this.#limit + 4 - at), at, afterSpace)
    this.#at = at + end - from
    return end
  }

  /** Writes one blank between two words, and none at the start. */
  #appendBlank(line: boolean): void {
    const bytes = this.#bytes
    if (this.#at === this.#start) return
    if (bytes[this.#at - 1]! > 0x20) bytes[this.#at++] = line ? 0x0a : 0x20
    else if (line) bytes[this.#at - 1] = 0x0a
  }

  #appendReference(from: number, to: number): void {
    const target = decodeReference(this.#bytes.latin1Slice(from, to))
    if (target.length === 1 && target[0]! <= 0x20) this.#appendBlank(false)
    else for (let i = 0; i < target.length; i++) this.#bytes[this.#at++] = target[i]!
  }

  /** The end of the text, moved back if it falls inside a character. */
  #wholeCharacters(): number {
    if (this.#at <= this.#limit) return this.#at
    let end = this.#limit
    while ((this.#bytes[end]! & 0xc0) === 0x80) end--
    return end
  }
}

/** The end of white space, control characters and no-break spaces. */
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

/** Cached: pages use the same few references. */
const decoded = new Map<string, Buffer>()
const DECODED_MAX = 512

function decodeReference(source: string): Buffer {
  let target = decoded.get(source)
  if (target === undefined) {
    target = Buffer.from(decodeHTML(source).replaceAll('\u00a0', ' '))
    if (decoded.size >= DECODED_MAX) decoded.clear()
    decoded.set(source, target)
  }
  return target
}
