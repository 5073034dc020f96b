/** Bytes of a robots.txt -> its directives, in order: spelling mistakes taken as meant, everything else left out. */
import { LIMITS } from '../model/limits.js'

export type DirectiveKind = 'agent' | 'allow' | 'disallow' | 'delay' | 'sitemap'

/** `value` and `text` hold one character per byte, so that odd bytes survive; `readable` makes text of them. */
export type DirectiveHandler = (kind: DirectiveKind, value: string, lineNumber: number, text: string) => void

/** Of a longer line only this much counts, as with Google: eight times the longest URL of any browser. */
const LINE_BYTES = 2083 * 8 - 1
const BOM = [0xef, 0xbb, 0xbf]
const LF = 0x0a
const CR = 0x0d
const HASH = 0x23
const COLON = 0x3a

const SPELLINGS: Readonly<Record<DirectiveKind, readonly string[]>> = {
  agent: ['user-agent', 'useragent', 'user agent', 'user_agent', 'user-agnet', 'usr-agent', 'user-agen'],
  disallow: [
    ...['disallow', 'dissallow', 'dissalow', 'disalow', 'diasllow', 'disallaw', 'disalllow', 'disllow'],
    ...['dissallaw', 'dissalllow', 'diallow', 'dsallow', 'disallo', 'disalow', 'dis-allow'],
  ],
  allow: ['allow', 'alow', 'alllow', 'allaw'],
  delay: ['crawl-delay', 'crawldelay', 'crawl delay', 'crawl_delay', 'craw-delay', 'crawl-dely'],
  sitemap: ['sitemap', 'site-map', 'site map', 'site_map'],
}

const KINDS = new Map<string, DirectiveKind>()
for (const [kind, words] of Object.entries(SPELLINGS))
  for (const word of words) KINDS.set(word, kind as DirectiveKind)

/** First letters of all known words: most lines that are none of ours end here. */
const STARTS = 'uadcs'
const LONGEST_KEY = 64

/** `Disallowed:` and `User-agents:` too: a known word with something after it. */
function kindOf(key: string): DirectiveKind | undefined {
  if (key.length > LONGEST_KEY) return undefined
  const word = key.toLowerCase()
  const kind = KINDS.get(word)
  if (kind !== undefined || !STARTS.includes(word.slice(0, 1))) return kind
  for (const [known, meant] of KINDS) if (word.startsWith(known)) return meant
  return undefined
}

export function readDirectives(bytes: Uint8Array, handle: DirectiveHandler): void {
  const kept = bytes.subarray(0, LIMITS.robotsBytes)
  const text = Buffer.from(kept.buffer, kept.byteOffset, kept.length).toString('latin1')
  let start = bomLength(kept)
  let lineNumber = 1
  for (let i = start; i < kept.length; i++) {
    const c = kept[i]
    if (c !== LF && c !== CR) continue
    if (i > start) readLine(kept, text, start, i, lineNumber, handle)
    if (c === CR && kept[i + 1] === LF) i++
    start = i + 1
    lineNumber++
  }
  // A rule cut by the limit would say something its author did not mean.
  const isWhole = kept.length < LIMITS.robotsBytes || kept.length - start >= LINE_BYTES
  if (isWhole) readLine(kept, text, start, kept.length, lineNumber, handle)
}

/** Part of a byte order mark is skipped too. */
function bomLength(bytes: Uint8Array): number {
  let length = 0
  while (length < BOM.length && bytes[length] === BOM[length]) length++
  return length
}

function readLine(
  bytes: Uint8Array,
  text: string,
  lineStart: number,
  lineEnd: number,
  lineNumber: number,
  handle: DirectiveHandler,
): void {
  const stop = Math.min(lineEnd, lineStart + LINE_BYTES)
  const start = skipBlanks(bytes, lineStart, stop)
  let comment = start
  while (comment < stop && bytes[comment] !== HASH) comment++
  const end = dropBlanks(bytes, start, comment)
  const split = splitAt(bytes, text, start, end)
  if (split < 0) return
  const kind = kindOf(text.slice(start, dropBlanks(bytes, start, split)))
  if (kind === undefined) return
  handle(kind, text.slice(skipBlanks(bytes, split + 1, end), end), lineNumber, text.slice(start, end))
}

/** Where key and value part: at the colon, or at the only gap of a line that lacks it; -1 when neither is there. */
function splitAt(bytes: Uint8Array, text: string, start: number, end: number): number {
  let gap = start
  while (gap < end && bytes[gap] !== COLON && !isBlank(bytes[gap]!)) gap++
  if (gap === end) return -1
  if (bytes[gap] === COLON) return gap
  const rest = skipBlanks(bytes, gap, end)
  if (bytes[rest] === COLON) return rest
  let colon = -1
  for (let i = rest; i < end; i++) {
    if (bytes[i] === COLON) {
      if (colon < 0) colon = i
    } else if (isBlank(bytes[i]!)) return colon < 0 ? firstColon(bytes, i, end) : colon
  }
  // `Disallow /a:b` has a colon, but not the one that counts.
  return colon < 0 || KINDS.has(text.slice(start, gap).toLowerCase()) ? gap : colon
}

function firstColon(bytes: Uint8Array, from: number, end: number): number {
  for (let i = from; i < end; i++) if (bytes[i] === COLON) return i
  return -1
}

function skipBlanks(bytes: Uint8Array, from: number, end: number): number {
  let i = from
  while (i < end && isBlank(bytes[i]!)) i++
  return i
}

function dropBlanks(bytes: Uint8Array, start: number, from: number): number {
  let i = from
  while (i > start && isBlank(bytes[i - 1]!)) i--
  return i
}

/** Space, tab, line and page feeds; NUL, which some editors leave behind. */
function isBlank(c: number): boolean {
  return c === 0x20 || (c >= 0x09 && c <= 0x0d) || c === 0
}

/** The bytes of a directive as text for people. */
export function readable(text: string): string {
  return Buffer.from(text, 'latin1').toString('utf8')
}
