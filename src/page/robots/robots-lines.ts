/**
 * Reads the directives of a robots.txt in order. Common misspellings are accepted; other lines are skipped.
 */

import { LINE_FIELDS, LineKind, lineKind, lineNumber, readLines } from './line-scan.js'
import type { RobotsFile } from './robots-bytes.js'

export type DirectiveKind = 'agent' | 'allow' | 'disallow' | 'delay' | 'sitemap'

/** Positions in the text: no string is made for lines that apply to other crawlers. */
export interface Line {
  number: number
  start: number
  end: number
  valueStart: number
}

const COLON = 0x3a

const SPELLINGS: Readonly<Record<DirectiveKind, readonly string[]>> = {
  agent: ['user-agent', 'useragent', 'user agent', 'user_agent', 'user-agnet', 'usr-agent', 'user-agen'],
  disallow: [
    ...['disallow', 'dissallow', 'dissalow', 'disalow', 'diasllow', 'disallaw', 'disalllow', 'disllow'],
    ...['dissallaw', 'dissalllow', 'diallow', 'dsallow', 'disallo', 'dis-allow', 'dis allow', 'dissaloow'],
  ],
  allow: ['allow', 'alow', 'alllow', 'allaw', 'aloow'],
  delay: ['crawl-delay', 'crawldelay', 'crawl delay', 'crawl_delay', 'craw-delay', 'crawl-dely'],
  sitemap: ['sitemap', 'site-map', 'site map', 'site_map'],
}

const KINDS = new Map<string, DirectiveKind>()
for (const [kind, words] of Object.entries(SPELLINGS))
  for (const word of words) KINDS.set(word, kind as DirectiveKind)

/** First letters of all known keys; most other lines are rejected by them. */
const STARTS = 'uadcs'
const LONGEST_KEY = 64

let lastWord = ''
let lastKind: DirectiveKind | undefined

/** A file repeats its misspellings, so the last key is remembered. */
function kindBefore(text: string, start: number, split: number): DirectiveKind | undefined {
  const end = dropBlanks(text, start, split)
  if (end - start !== lastWord.length || !text.startsWith(lastWord, start)) {
    lastWord = text.slice(start, end)
    lastKind = kindOf(lastWord)
  }
  return lastKind
}

/** Also accepts a known key with something after it, such as `Disallowed:`. */
function kindOf(key: string): DirectiveKind | undefined {
  if (key.length > LONGEST_KEY) return undefined
  const word = key.toLowerCase()
  const kind = KINDS.get(word)
  if (kind !== undefined || !STARTS.includes(word.slice(0, 1))) return kind
  for (const [known, meant] of KINDS) if (word.startsWith(known)) return meant
  return undefined
}

export interface DirectiveHandler {
  /**
   * Consecutive Allow and Disallow lines, in the format of `line-scan.ts`. The array is overwritten later.
   */
  rules(lines: Int32Array, from: number, to: number): void
  /** Any other directive, or a rule with an unusual spelling. */
  directive(kind: DirectiveKind, line: Readonly<Line>): void
}

export function readDirectives({ bytes, text, isWhole }: RobotsFile, handler: DirectiveHandler): void {
  const line: Line = { number: 0, start: 0, end: 0, valueStart: 0 }
  readLines(bytes, isWhole, lines => {
    for (let at = 0; at < lines.length; ) {
      const end = endOfRules(lines, at)
      if (end > at) handler.rules(lines, at, end)
      else readLine(text, lines, at, line, handler)
      at = Math.max(end, at + LINE_FIELDS)
    }
  })
}

/** The end of the rules that begin at `from`; in a long file nearly all lines are rules. */
function endOfRules(lines: Int32Array, from: number): number {
  let at = from
  while (at < lines.length && isRule(lineKind(lines[at]!))) at += LINE_FIELDS
  return at
}

function isRule(kind: number): boolean {
  return kind === LineKind.disallow || kind === LineKind.allow
}

function readLine(text: string, lines: Int32Array, at: number, line: Line, handler: DirectiveHandler): void {
  line.number = lineNumber(lines[at]!)
  line.start = lines[at + 1]!
  line.end = lines[at + 2]!
  line.valueStart = lines[at + 3]!
  if (lineKind(lines[at]!) === LineKind.agent) {
    handler.directive('agent', line)
    return
  }
  const split = splitAt(text, line.start, line.end)
  if (split < 0) return
  const kind = kindBefore(text, line.start, split)
  if (kind === undefined) return
  line.valueStart = skipBlanks(text, split + 1, line.end)
  handler.directive(kind, line)
}

/**
 * The position between key and value: the colon, or the only gap of a line without one; -1 if there is none.
 */
function splitAt(text: string, start: number, end: number): number {
  let gap = start
  while (gap < end && text.charCodeAt(gap) !== COLON && !isBlank(text.charCodeAt(gap))) gap++
  if (gap === end) return -1
  if (text.charCodeAt(gap) === COLON) return gap
  const rest = skipBlanks(text, gap, end)
  if (text.charCodeAt(rest) === COLON) return rest
  let colon = -1
  for (let i = rest; i < end; i++) {
    if (text.charCodeAt(i) === COLON) {
      if (colon < 0) colon = i
    } else if (isBlank(text.charCodeAt(i))) return colon < 0 ? firstColon(text, i, end) : colon
  }
  // The colon in `Disallow /a:b` does not separate key and value.
  return colon < 0 || KINDS.has(text.slice(start, gap).toLowerCase()) ? gap : colon
}

function firstColon(text: string, from: number, end: number): number {
  const colon = text.indexOf(':', from)
  return colon < end ? colon : -1
}

function skipBlanks(text: string, from: number, end: number): number {
  let i = from
  while (i < end && isBlank(text.charCodeAt(i))) i++
  return i
}

function dropBlanks(text: string, start: number, from: number): number {
  let i = from
  while (i > start && isBlank(text.charCodeAt(i - 1))) i--
  return i
}

/** Space, tab, line and page feeds; also NUL, which some editors leave behind. */
function isBlank(c: number): boolean {
  return c === 0x20 || (c >= 0x09 && c <= 0x0d) || c === 0
}

/** The bytes of a directive, decoded for display. */
export function readable(text: string): string {
  return Buffer.from(text, 'latin1').toString('utf8')
}
