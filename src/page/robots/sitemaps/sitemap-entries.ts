/**
 * Reads the entries of a sitemap or feed (urlset, index, RSS, Atom) from its tags, tolerating common
 * mistakes.
 */
import { LIMITS } from '../../../model/index.js'
import { addressLines } from './address-lines.js'
import { attributeOf, scanTags, type TagHandler } from './xml-tags.js'

export type SitemapForm = 'urlset' | 'index' | 'rss' | 'atom' | 'text'

/** `href` is as written; it is a page or another sitemap. False ends the reading. */
export type TakeEntry = (href: string, kind: 'page' | 'sitemap') => boolean

const ROOTS: ReadonlyMap<string, SitemapForm> = new Map([
  ['urlset', 'urlset'],
  ['sitemapindex', 'index'],
  ['rss', 'rss'],
  ['rdf', 'rss'],
  ['feed', 'atom'],
])
/** Text directly after the start tag of one of these may be an address. */
const HOLDERS = new Set(['urlset', 'sitemapindex', 'url', 'sitemap'])
/** Parts of an entry that have a `loc` or `link` of their own. */
const INNER = new Set(['image', 'video', 'news'])

/** Reads markup with one character per byte; null if it has none of the known forms. */
export function readEntries(text: string, take: TakeEntry): SitemapForm | null {
  const reader = new EntryReader(take)
  scanTags(text, reader)
  reader.finish()
  return reader.form
}

class EntryReader implements TagHandler {
  form: SitemapForm | null = null
  readonly #take: TakeEntry
  #goesOn = true
  #entry: 'url' | 'sitemap' | 'item' | 'entry' | null = null
  #entryPrefix = ''
  /** The inner part that is being skipped. */
  #inner = ''
  /** The element whose text is wanted, and its text so far. */
  #wanted: 'loc' | 'link' | 'guid' | null = null
  #value = ''
  /** The text has an unknown entity, so that its meaning is unknown. */
  #isUnknown = false
  /** The previous tag was the start tag of one of `HOLDERS`. */
  #isBare = false
  #link = ''
  #guid = ''

  constructor(take: TakeEntry) {
    this.#take = take
  }

  opened(name: string, prefix: string, attributes: string, isEmpty: boolean): boolean {
    this.#isBare = HOLDERS.has(name) && !isEmpty
    if (this.form === null) {
      this.form = ROOTS.get(name) ?? null
      return this.form !== null || name !== 'html'
    }
    if (this.#wanted !== null) {
      // `<loc><url>…` occurs; any tag after the text ends it.
      if (this.#value.trim() === '') return true
      this.#have()
    }
    if (this.#inner === '') this.#open(name, prefix, attributes, isEmpty)
    return this.#goesOn
  }

  closed(name: string): void {
    this.#isBare = false
    if (this.#wanted !== null && (name === this.#wanted || this.#value.trim() !== '')) this.#have()
    if (name === this.#inner) this.#inner = ''
    if (name === this.#entry) this.finish()
  }

  text(text: string, isLiteral: boolean): void {
    if (this.#wanted === null) {
      if (this.#isBare && this.#inner === '') this.#bare(text, isLiteral)
      return
    }
    if (this.#value.length > LIMITS.sitemapUrlBytes) return
    const value = isLiteral ? text : decoded(text)
    if (value === null) this.#isUnknown = true
    else this.#value += value
  }

  /** Addresses without `<loc>`; in an index they are sitemaps, whatever the element. */
  #bare(text: string, isLiteral: boolean): void {
    if (this.form !== 'urlset' && this.form !== 'index') return
    const kind = this.form === 'index' || this.#entry === 'sitemap' ? 'sitemap' : 'page'
    for (const line of addressLines(text)) {
      const href = isLiteral ? line : decoded(line)
      if (href !== null) this.#give(href, kind)
      if (!this.#goesOn) return
    }
  }

  /** Ends an entry, or the document. */
  finish(): void {
    if (this.#entry === 'item') this.#give(this.#link || this.#guid, 'page')
    this.#link = ''
    this.#guid = ''
    this.#entry = null
    this.#inner = ''
    this.#wanted = null
  }

  #open(name: string, prefix: string, attributes: string, isEmpty: boolean): void {
    switch (name) {
      case 'url':
      case 'sitemap':
        if (this.form === 'urlset' || this.form === 'index') this.#begin(name, prefix)
        return
      case 'item':
        if (this.form === 'rss') this.#begin(name, prefix)
        return
      case 'entry':
        if (this.form === 'atom') this.#begin(name, prefix)
        return
      case 'loc':
        if (this.form !== 'rss' && this.form !== 'atom') this.#want('loc', prefix, isEmpty)
        return
      case 'link':
        this.#openLink(prefix, attributes, isEmpty)
        return
      case 'guid':
        if (this.#entry === 'item' && attributeOf(attributes, 'ispermalink')?.toLowerCase() !== 'false')
          this.#want('guid', prefix, isEmpty)
        return
      default:
        if (prefix === '' && !isEmpty && this.#entry === 'url' && INNER.has(name)) this.#inner = name
    }
  }

  #begin(entry: 'url' | 'sitemap' | 'item' | 'entry', prefix: string): void {
    if (this.#entry === 'item') this.finish()
    this.#entry = entry
    this.#entryPrefix = prefix
    this.#link = ''
  }

  /** `image:loc` and the like have another prefix than their entry. */
  #want(element: 'loc' | 'link' | 'guid', prefix: string, isEmpty: boolean): void {
    if (isEmpty || (this.#entry !== null && prefix !== this.#entryPrefix)) return
    this.#wanted = element
    this.#value = ''
    this.#isUnknown = false
  }

  #openLink(prefix: string, attributes: string, isEmpty: boolean): void {
    if (this.#entry === 'item') {
      this.#want('link', prefix, isEmpty)
      return
    }
    if (this.#entry !== 'entry' && this.#entry !== 'url') return
    const rel = attributeOf(attributes, 'rel')?.toLowerCase() ?? 'alternate'
    const href = attributeOf(attributes, 'href')
    if (rel !== 'alternate' || href === null) return
    // The first link of an Atom entry counts; in a urlset each is the page in another language.
    if (this.#entry === 'entry' && this.#link !== '') return
    this.#link = href
    const url = decoded(href)
    if (url !== null) this.#give(url, 'page')
  }

  /** Takes the wanted text, which is complete. */
  #have(): void {
    const value = this.#isUnknown ? '' : this.#value.trim()
    if (this.#wanted === 'link') this.#link ||= value
    else if (this.#wanted === 'guid') this.#guid ||= value
    else {
      const inIndex = this.#entry === null ? this.form === 'index' : this.#entry === 'sitemap'
      this.#give(value, inIndex ? 'sitemap' : 'page')
    }
    this.#wanted = null
  }

  #give(href: string, kind: 'page' | 'sitemap'): void {
    if (href === '' || href.length > LIMITS.sitemapUrlBytes || !this.#goesOn) return
    this.#goesOn = this.#take(utf8(href), kind)
  }
}

/** A reference; an `&` that begins none is kept. */
const REFERENCE = /&(?:#[\da-z]*|[a-z_:][\w:.-]*);/gi

const NUMBER = /^#(\d{1,7}|x[\da-f]{1,6})$/

/** Null if it has an entity that XML does not define: entities declared in a document are not expanded. */
function decoded(text: string): string | null {
  if (!text.includes('&')) return text
  let isKnown = true
  const value = text.replace(REFERENCE, reference => {
    const character = referredTo(reference)
    if (character === null) isKnown = false
    return character ?? ''
  })
  return isKnown ? value : null
}

const NAMED = new Map(Object.entries({ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }))

function referredTo(reference: string): string | null {
  const name = reference.slice(1, -1).toLowerCase()
  if (!name.startsWith('#')) return NAMED.get(name) ?? null
  if (!NUMBER.test(name)) return null
  const code = name.startsWith('#x') ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1))
  if (code === 0 || code > 0x10ffff) return null
  return Buffer.from(String.fromCodePoint(code)).toString('latin1')
}

/** Decodes text that has one character per byte. */
export function utf8(bytes: string): string {
  return HIGH.test(bytes) ? Buffer.from(bytes, 'latin1').toString('utf8') : bytes
}

const HIGH = /[\x80-\xff]/
