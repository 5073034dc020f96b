/** Reduces short texts of a page (title, description) to one line. */
import { decodeHTML } from 'entities/decode'
import { LIMITS } from '../../../model/index.js'

export function readTitle(bytes: Buffer, start: number, end: number): string {
  // A title without an end tag would be the rest of the page. A character reference has at most 33
  // characters.
  const bound = Math.min(end, start + LIMITS.titleChars * 8)
  const raw = bytes.utf8Slice(start, bound)
  return oneLine(raw.includes('&') ? decodeHTML(raw) : raw, LIMITS.titleChars)
}

/** Text of printable ASCII with single spaces, the usual case. */
const ONE_LINE = /^(?:[!-~]+(?: [!-~]+)*)?$/

/** Collapses white space in `text` and cuts it to `maxChars`. */
export function oneLine(text: string, maxChars: number): string {
  if (text.length <= maxChars && ONE_LINE.test(text)) return text
  const bounded = text.length > maxChars * 8 ? text.slice(0, maxChars * 8) : text
  const line = bounded.replace(/[\s\0]+/g, ' ').trim()
  return line.length > maxChars ? cut(line, maxChars) : line
}

/** Cuts, but not between the halves of a surrogate pair. */
function cut(text: string, maxChars: number): string {
  const last = text.charCodeAt(maxChars - 1)
  return text.slice(0, last >= 0xd800 && last < 0xdc00 ? maxChars - 1 : maxChars)
}
