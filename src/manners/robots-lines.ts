/** The text of a robots.txt -> its directives, in order: spelling mistakes taken as meant, everything else left out. */

export type DirectiveKind = 'agent' | 'allow' | 'disallow' | 'delay' | 'sitemap'

/** Places in the text: nothing is copied for lines that turn out to be meant for somebody else. */
export interface Line {
  number: number
  start: number
  end: number
  valueStart: number
}

export type DirectiveHandler = (kind: DirectiveKind, line: Readonly<Line>) => void

const LF = 0x0a
const CR = 0x0d
const COLON = 0x3a
const USUAL = 'Disallow: '

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

/** `text` has one character a byte. `isWhole`: false when it was cut, and its last line may be too. */
export function readDirectives(text: string, isWhole: boolean, handle: DirectiveHandler): void {
  const line: Line = { number: 1, start: 0, end: 0, valueStart: 0 }
  const feeds = new Finder(text, '\n')
  const returns = new Finder(text, '\r')
  const hashes = new Finder(text, '#')
  for (let start = 0; ; line.number++) {
    const end = Math.min(feeds.from(start), returns.from(start))
    // A rule cut by the limit would say something its author did not mean.
    if (end === text.length && !isWhole) return
    if (end > start) readLine(text, start, Math.min(end, hashes.from(start)), line, handle)
    if (end === text.length) return
    start = text.charCodeAt(end) === CR && text.charCodeAt(end + 1) === LF ? end + 2 : end + 1
  }
}

/** The next place of a character, found by the engine's own search: a file is gone through once, however long. */
class Finder {
  readonly #text: string
  readonly #character: string
  #at = -1

  constructor(text: string, character: string) {
    this.#text = text
    this.#character = character
  }

  /** `start` never goes back. The length of the text when there is none. */
  from(start: number): number {
    if (this.#at < start) {
      const at = this.#text.indexOf(this.#character, start)
      this.#at = at < 0 ? this.#text.length : at
    }
    return this.#at
  }
}

/** `to` is where the comment begins, if there is one. */
function readLine(text: string, from: number, to: number, line: Line, handle: DirectiveHandler): void {
  const start = skipBlanks(text, from, to)
  const end = dropBlanks(text, start, to)
  line.start = start
  line.end = end
  // How nearly all lines are written.
  if (text.startsWith(USUAL, start) && end > start + USUAL.length) {
    line.valueStart = skipBlanks(text, start + USUAL.length, end)
    handle('disallow', line)
    return
  }
  const split = splitAt(text, start, end)
  if (split < 0) return
  const kind = kindOf(text.slice(start, dropBlanks(text, start, split)))
  if (kind === undefined) return
  line.valueStart = skipBlanks(text, split + 1, end)
  handle(kind, line)
}

/** Where key and value part: at the colon, or at the only gap of a line that lacks it; -1 when neither is there. */
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
  // `Disallow /a:b` has a colon, but not the one that counts.
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

/** Space, tab, line and page feeds; NUL, which some editors leave behind. */
function isBlank(c: number): boolean {
  return c === 0x20 || (c >= 0x09 && c <= 0x0d) || c === 0
}

/** The bytes of a directive as text for people. */
export function readable(text: string): string {
  return Buffer.from(text, 'latin1').toString('utf8')
}
