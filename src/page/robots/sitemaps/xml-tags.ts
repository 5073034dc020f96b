/**
 * Reports tags and text of sloppy XML in order. It builds nothing, expands no entities (so nested entities
 * are harmless), requires no end tags, and takes linear time.
 */
import { LIMITS } from '../../../model/index.js'

export interface TagHandler {
  /**
   * Names are lower case, without prefix; `attributes` is the text between name and `>`. False ends the scan.
   */
  opened(name: string, prefix: string, attributes: string, isEmpty: boolean): boolean
  closed(name: string, prefix: string): void
  /**
   * Text before a tag; `isLiteral` in CDATA, without escapes. Text at the end without a tag is not reported.
   */
  text(text: string, isLiteral: boolean): void
}

const LONGEST_NAME = 64
const SPACE = /[\t\n\f\r ]/

/** `text` has one character per byte. */
export function scanTags(text: string, handler: TagHandler): void {
  let at = 0
  for (;;) {
    const open = text.indexOf('<', at)
    if (open < 0) return
    if (open > at) handler.text(text.slice(at, open), false)
    switch (text.charCodeAt(open + 1)) {
      case 0x21: // '!'
        at = afterDeclaration(text, open, handler)
        break
      case 0x3f: // '?'
        at = after(text, '?>', open)
        break
      case 0x2f: // '/'
        at = afterClosing(text, open, handler)
        break
      default:
        at = afterOpening(text, open, handler)
    }
    if (at < 0) return
  }
}

/** The value of an attribute as written, or null. */
export function attributeOf(attributes: string, name: string): string | null {
  const pattern = ATTRIBUTES[name]
  const match = pattern?.exec(attributes)
  return match ? (match[1] ?? match[2] ?? match[3] ?? '') : null
}

const ATTRIBUTES: Readonly<Record<string, RegExp>> = Object.fromEntries(
  ['href', 'rel', 'ispermalink'].map(name => [
    name,
    new RegExp(`(?:^|[\\s"'])${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+))`, 'i'),
  ]),
)

/** Skips a comment, CDATA or doctype; -1 if it does not end. */
function afterDeclaration(text: string, open: number, handler: TagHandler): number {
  if (text.startsWith('<!--', open)) return after(text, '-->', open + 4)
  if (text.startsWith('<![CDATA[', open)) {
    const end = text.indexOf(']]>', open + 9)
    if (end < 0) return -1
    handler.text(text.slice(open + 9, end), true)
    return end + 3
  }
  // Declarations inside a doctype are skipped one by one; each begins and ends like this one.
  const end = text.indexOf('>', open)
  if (end < 0) return -1
  const bracket = text.slice(open, end).indexOf('[')
  return bracket < 0 ? end + 1 : open + bracket + 1
}

function after(text: string, mark: string, from: number): number {
  const end = text.indexOf(mark, from)
  return end < 0 ? -1 : end + mark.length
}

function afterClosing(text: string, open: number, handler: TagHandler): number {
  const next = text.indexOf('<', open + 1)
  const tag = text.slice(open, next < 0 ? text.length : next)
  const end = tag.indexOf('>')
  const nameEnd = endOfName(tag, 2, end < 0 ? tag.length : end)
  tell(tag.slice(2, nameEnd), (name, prefix) => handler.closed(name, prefix))
  return end < 0 ? next : open + end + 1
}

function afterOpening(text: string, open: number, handler: TagHandler): number {
  const end = tagEnd(text, open + 1)
  if (end < 0) return -1
  const nameEnd = endOfName(text, open + 1, end)
  const isEmpty = text.charCodeAt(end - 1) === 0x2f
  let goesOn = true
  tell(text.slice(open + 1, nameEnd), (name, prefix) => {
    goesOn = handler.opened(name, prefix, text.slice(nameEnd, isEmpty ? end - 1 : end), isEmpty)
  })
  return goesOn ? end + 1 : -1
}

/**
 * The last character of the tag: the first `>` outside of quotes, the first `>` if a quote is not closed
 * nearby, or the character before the next `<`.
 */
function tagEnd(text: string, from: number): number {
  const plain = text.indexOf('>', from)
  if (plain < 0) return -1
  let at = from
  for (;;) {
    const c = text.charCodeAt(at)
    if (c === 0x3e) return at
    if (c === 0x3c) return at - 1
    if (c === 0x22 || c === 0x27) {
      const partner = text.indexOf(c === 0x22 ? '"' : "'", at + 1)
      if (partner < 0 || partner - from > LIMITS.attributeBytes) return plain
      at = partner
    }
    if (++at >= text.length || at - from > LIMITS.attributeBytes) return plain
  }
}

function endOfName(text: string, from: number, end: number): number {
  let at = from
  const stop = Math.min(end, from + LONGEST_NAME + 1)
  while (at < stop && text.charCodeAt(at) !== 0x2f && !SPACE.test(text.charAt(at))) at++
  return at
}

function tell(full: string, take: (name: string, prefix: string) => void): void {
  if (full === '' || full.length > LONGEST_NAME) return
  const colon = full.indexOf(':')
  take(full.slice(colon + 1).toLowerCase(), colon < 0 ? '' : full.slice(0, colon).toLowerCase())
}
