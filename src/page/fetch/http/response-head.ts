/**
 * The head of a response. Headers are found in the received text: a page has a dozen, of which the crawl
 * reads five. Tolerates what browsers tolerate: bare LF, folded lines, spaces before the colon, lines without
 * one.
 */
import type { OutcomeCode } from '../../../model/index.js'
import { effectiveType } from './content-type-lines.js'

const LF = 0x0a
const CR = 0x0d
const SPACE = 0x20
const TAB = 0x09
const CONTENT_TYPE = 'content-type'
const NO_MEMBERS: readonly string[] = []

/** The position after the empty line that ends a head, or -1. Lines may end in CRLF or LF. */
export function headEnd(bytes: Uint8Array, from: number, to: number): number {
  for (let i = from; i < to; i++) {
    if (bytes[i] !== LF) continue
    const next = bytes[i + 1]
    if (next === LF && i + 1 < to) return i + 2
    if (next === CR && i + 2 < to && bytes[i + 2] === LF) return i + 3
  }
  return -1
}

export type HeadFailure = { readonly code: OutcomeCode; readonly detail: string }

export class ResponseHead {
  readonly status: number
  /** The digit after `HTTP/1.`, 0 or 1. */
  readonly minor: number
  readonly #text: string
  /** For each header: start and end of the name, end of the value. */
  readonly #spans: readonly number[]

  constructor(status: number, minor: number, text: string, spans: readonly number[]) {
    this.status = status
    this.minor = minor
    this.#text = text
    this.#spans = spans
  }

  /** The first value of a header by lower-case name; for Content-Type the combination of all. */
  header(name: string): string | undefined {
    const spans = this.#spans
    for (let i = 0; i < spans.length; i += 3) {
      if (this.#named(i, name)) return name === CONTENT_TYPE ? this.#type(i) : this.#value(i)
    }
    return undefined
  }

  /** The values of all headers of that name, in order. */
  values(name: string): string[] {
    const found: string[] = []
    for (let i = 0; i < this.#spans.length; i += 3) if (this.#named(i, name)) found.push(this.#value(i))
    return found
  }

  /** The comma-separated members of all headers of that name, lower case, without empty ones. */
  members(name: string): readonly string[] {
    let found: string[] | null = null
    for (let i = 0; i < this.#spans.length; i += 3) {
      if (!this.#named(i, name)) continue
      found ??= []
      for (const member of listed(this.#value(i))) if (member !== '') found.push(member)
    }
    return found ?? NO_MEMBERS
  }

  #named(i: number, name: string): boolean {
    const start = this.#spans[i]
    if (this.#spans[i + 1] - start !== name.length) return false
    const text = this.#text
    for (let k = 0; k < name.length; k++) {
      // Names consist of letters, digits and '-': setting bit 5 lower-cases letters and changes nothing else.
      if ((text.charCodeAt(start + k) | 0x20) !== name.charCodeAt(k)) return false
    }
    return true
  }

  /** Nearly always there is one line with one type. */
  #type(first: number): string {
    for (let i = first + 3; i < this.#spans.length; i += 3)
      if (this.#named(i, CONTENT_TYPE)) return effectiveType(this.values(CONTENT_TYPE))
    const value = this.#value(first)
    return value.includes(',') ? effectiveType([value]) : value
  }

  #value(i: number): string {
    const from = this.#text.indexOf(':', this.#spans[i + 1]) + 1
    const value = this.#text.slice(from, this.#spans[i + 2]).trim()
    return value.includes('\n') ? value.replace(/\r?\n[ \t]*/g, ' ') : value
  }
}

function listed(value: string): string[] {
  if (!value.includes(',')) return [value.toLowerCase()]
  return value.split(',').map(member => member.trim().toLowerCase())
}

/** Parses a complete head. */
export function parseHead(text: string, maxHeaders: number): ResponseHead | HeadFailure {
  const minor = text.charCodeAt(7) - 0x30
  if (!text.startsWith('HTTP/1.') || (minor !== 0 && minor !== 1)) return badStatusLine(text)
  let at = 8
  while (text.charCodeAt(at) === SPACE) at++
  const status = statusAt(text, at)
  if (at === 8 || status < 0) return badStatusLine(text)
  const spans: number[] = []
  let lines = 0
  for (let start = text.indexOf('\n') + 1; start < text.length; lines++) {
    if (lines > maxHeaders) {
      return { code: 'HEADERS_TOO_LARGE', detail: `more than ${maxHeaders} response headers` }
    }
    const newline = text.indexOf('\n', start)
    const end = newline < 0 ? text.length : newline
    addLine(text, start, end, spans)
    start = end + 1
  }
  return new ResponseHead(status, minor, text, spans)
}

function addLine(text: string, start: number, end: number, spans: number[]): void {
  const first = text.charCodeAt(start)
  if (first === SPACE || first === TAB) {
    if (spans.length > 0) spans[spans.length - 1] = end
    return
  }
  const colon = text.indexOf(':', start)
  if (colon <= start || colon >= end) return
  let nameEnd = colon
  while (text.charCodeAt(nameEnd - 1) === SPACE || text.charCodeAt(nameEnd - 1) === TAB) nameEnd--
  spans.push(start, nameEnd, end)
}

/** The status code at `at`, or -1. All of 100 to 999 are accepted, because servers invent codes. */
function statusAt(text: string, at: number): number {
  const hundreds = digitAt(text, at)
  const tens = digitAt(text, at + 1)
  const ones = digitAt(text, at + 2)
  if (hundreds < 1 || tens < 0 || ones < 0) return -1
  const after = text.charCodeAt(at + 3)
  return after === SPACE || after === CR || after === LF ? hundreds * 100 + tens * 10 + ones : -1
}

function digitAt(text: string, at: number): number {
  const digit = text.charCodeAt(at) - 0x30
  return digit >= 0 && digit <= 9 ? digit : -1
}

function badStatusLine(text: string): HeadFailure {
  const line = text.slice(0, 40).split(/[\r\n]/, 1)[0]
  return { code: 'BAD_RESPONSE', detail: `not a status line: ${JSON.stringify(line)}` }
}
