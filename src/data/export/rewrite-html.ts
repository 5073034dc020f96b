/**
 * Makes the links of a page work in the exported folder. Only the attributes that hold links change: the
 * parser gives their source locations.
 */

import { LIMITS } from '../../model/index.js'
import { normaliseUrl } from '../../model/url/index.js'
import { encodeQuery } from '../../page/parse/index.js'
import { REFRESH_CHARS } from '../limits.js'
import { attribute, baseOf, type Element, parseBounded, walk } from './html-tree.js'
import { rewriteCss } from './rewrite-css.js'
import { rewriteSrcset } from './rewrite-srcset.js'

/** Returns the link that replaces an absolute URL (without fragment), or null to keep the absolute URL. */
export type Relink = (url: string) => string | null

interface Edit {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** Attributes that hold one URL, by tag, of HTML and of SVG. */
const URL_ATTRIBUTES: Readonly<Record<string, readonly string[]>> = {
  a: ['href', 'xlink:href'],
  area: ['href'],
  link: ['href'],
  iframe: ['src'],
  frame: ['src'],
  img: ['src'],
  script: ['src', 'href', 'xlink:href'],
  source: ['src'],
  video: ['src', 'poster'],
  audio: ['src'],
  track: ['src'],
  embed: ['src'],
  object: ['data'],
  input: ['src'],
  body: ['background'],
  table: ['background'],
  td: ['background'],
  use: ['href', 'xlink:href'],
  image: ['href', 'xlink:href'],
  feImage: ['href', 'xlink:href'],
}

/** Attributes that make a browser refuse local copies. */
const DROPPED = ['integrity', 'crossorigin']

/** Returns `html` with its links rewritten, or null if the tree or the result exceeds a limit. */
export function rewriteHtml(html: string, pageUrl: string, relink: Relink, charset = 'utf-8'): string | null {
  const document = parseBounded(html, true)
  if (document === null) return null
  const page = new PageRewriter(html, baseOf(document, pageUrl), relink, charset)
  walk(document, { enter: element => page.rewrite(element) })
  // With a long base URL, a million short relative links would make a small page enormous.
  const grown = page.edits.reduce((sum, edit) => sum + edit.text.length, html.length)
  return grown > LIMITS.bodyBytes ? null : applyEdits(html, page.edits)
}

class PageRewriter {
  readonly edits: Edit[] = []
  readonly #html: string
  readonly #base: string
  readonly #relink: Relink
  readonly #charset: string

  constructor(html: string, base: string, relink: Relink, charset: string) {
    this.#html = html
    this.#base = base
    this.#relink = relink
    this.#charset = charset
  }

  rewrite(element: Element): boolean {
    const location = element.sourceCodeLocation
    if (!location) return true
    const { tagName } = element
    if (tagName === 'base' || (tagName === 'meta' && isPolicy(element))) {
      this.#replace(location.startOffset, location.startTag?.endOffset ?? location.endOffset, '')
      return true
    }
    for (const name of URL_ATTRIBUTES[tagName] ?? []) this.#edit(element, name, value => this.#link(value))
    this.#edit(element, 'srcset', value => rewriteSrcset(value, url => this.#link(url)))
    this.#edit(element, 'style', value => rewriteCss(value, url => this.#link(url)))
    if (tagName === 'meta' && attribute(element, 'http-equiv')?.toLowerCase() === 'refresh')
      this.#edit(element, 'content', value => this.#refresh(value))
    if (tagName === 'style') this.#styleSheet(element)
    if (tagName === 'script' || tagName === 'link') for (const name of DROPPED) this.#drop(element, name)
    return true
  }

  /** A relative link if the target is in the folder, else an absolute one; null if it is not a web link. */
  #link(raw: string): string | null {
    const href = raw.trim()
    if (href === '' || href.startsWith('#')) return null
    const hash = href.indexOf('#')
    const sent = encodeQuery(hash < 0 ? href : href.slice(0, hash), this.#charset)
    const url = normaliseUrl(sent, this.#base)
    if (url === null) return null
    return (this.#relink(url) ?? url) + (hash < 0 ? '' : href.slice(hash))
  }

  #refresh(content: string): string | null {
    if (content.length > REFRESH_CHARS) return null
    const match = /^(\s*[\d.]+\s*[;,]\s*(?:url\s*=\s*)?)(['"]?)([^'"]*)(['"]?\s*)$/i.exec(content)
    const link = match ? this.#link(match[3]) : null
    return match && link !== null ? match[1] + match[2] + link + match[4] : null
  }

  #styleSheet(element: Element): void {
    const [text] = element.childNodes
    const place = text?.sourceCodeLocation
    if (!place || text.nodeName !== '#text') return
    const css = this.#html.slice(place.startOffset, place.endOffset)
    this.#replace(
      place.startOffset,
      place.endOffset,
      rewriteCss(css, url => this.#link(url)),
    )
  }

  #edit(element: Element, name: string, change: (value: string) => string | null): void {
    const value = attributeValue(element, name)
    const place = element.sourceCodeLocation?.attrs?.[name]
    if (value === undefined || !place) return
    const changed = change(value)
    if (changed === null || changed === value) return
    this.#replace(place.startOffset, place.endOffset, `${name}="${escapeAttribute(changed)}"`)
  }

  #drop(element: Element, name: string): void {
    const place = element.sourceCodeLocation?.attrs?.[name]
    if (place) this.#replace(place.startOffset, place.endOffset, '')
  }

  #replace(start: number, end: number, text: string): void {
    this.edits.push({ start, end, text })
  }
}

/** `xlink:href` is split by the parser into prefix and name. */
function attributeValue(element: Element, name: string): string | undefined {
  return element.attrs.find(attr => (attr.prefix ? `${attr.prefix}:${attr.name}` : attr.name) === name)?.value
}

function isPolicy(element: Element): boolean {
  return attribute(element, 'http-equiv')?.toLowerCase() === 'content-security-policy'
}

function escapeAttribute(value: string): string {
  return value.replaceAll('&', '&amp;').replaceAll('"', '&quot;')
}

/**
 * Edits do not overlap but may be out of order, as the parser moves elements; a second edit of a place is
 * dropped.
 */
function applyEdits(html: string, edits: Edit[]): string {
  edits.sort((a, b) => a.start - b.start)
  const pieces: string[] = []
  let at = 0
  for (const { start, end, text } of edits) {
    if (start < at) continue
    pieces.push(html.slice(at, start), text)
    at = end
  }
  pieces.push(html.slice(at))
  return pieces.join('')
}
