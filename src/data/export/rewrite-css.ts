/**
 * Changes the URLs of a style sheet: `url(...)` and `@import "..."`. Comments and other strings stay as they
 * are. Every character is looked at once or twice, whatever the sheet holds.
 */

/** The new URL, or null to leave it. */
export type ChangeUrl = (url: string) => string | null

/** Starts of URLs, and of comments and strings, which may contain what looks like one. */
const STARTS = /\/\*|["']|\burl\(|@import\b/gi
const SPACES = ' \t\n\f\r'
/** What ends a URL without quotes. */
const ENDS = new Set(`${SPACES})("'`)

export function rewriteCss(css: string, change: ChangeUrl): string {
  const starts = new RegExp(STARTS)
  let out = ''
  let at = 0
  for (let found = starts.exec(css); found; found = starts.exec(css)) {
    const [start] = found
    const from = found.index + start.length
    const url = start === '/*' || start.length === 1 ? null : urlAt(css, from, start.startsWith('@'))
    starts.lastIndex = url?.end ?? endOf(css, start, from)
    if (!url) continue
    const changed = change(url.text)
    if (changed === null) continue
    out += css.slice(at, url.start) + quoted(changed)
    at = url.end
  }
  return out + css.slice(at)
}

interface FoundUrl {
  readonly text: string
  /** Its place, quotes included. */
  readonly start: number
  readonly end: number
}

function urlAt(css: string, from: number, isImport: boolean): FoundUrl | null {
  let start = from
  while (isSpace(css[start])) start++
  const quote = css[start]
  if (quote === '"' || quote === "'") {
    const end = stringEnd(css, start + 1, quote)
    const text = css.slice(start + 1, end - 1)
    return css[end - 1] === quote && !text.includes('\\') ? { text, start, end } : null
  }
  if (isImport) return null
  let end = start
  while (end < css.length && !ENDS.has(css[end])) end++
  return end === start ? null : { text: css.slice(start, end), start, end }
}

/** The end of a comment or string, or of a start without a URL. */
function endOf(css: string, start: string, from: number): number {
  if (start === '/*') {
    const end = css.indexOf('*/', from)
    return end < 0 ? css.length : end + 2
  }
  return start === '"' || start === "'" ? stringEnd(css, from, start) : from
}

/** Behind the closing quote, or at the line end that ends an unclosed string. */
function stringEnd(css: string, from: number, quote: string): number {
  for (let i = from; i < css.length; i++) {
    if (css[i] === quote) return i + 1
    if (css[i] === '\n') return i
    if (css[i] === '\\') i++
  }
  return css.length
}

function isSpace(char: string | undefined): boolean {
  return char !== undefined && SPACES.includes(char)
}

function quoted(url: string): string {
  return `"${url.replaceAll(/["\\\n\r]/g, char => encodeURIComponent(char))}"`
}
