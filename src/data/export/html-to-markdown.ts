/**
 * The main text of a page as Markdown: headings, paragraphs, lists, links, images, code, quotes and plain
 * tables.
 */
import { normaliseUrl } from '../../model/url/index.js'
import { encodeQuery } from '../../page/parse/index.js'
import { formulaOf, isFormulaPart } from './formula.js'
import { attribute, baseOf, type Element, type ParentNode, parseBounded, walk } from './html-tree.js'
import { isSkipped, mainContent, SECTIONS } from './main-content.js'
import { type Mark, MarkdownWriter } from './markdown-writer.js'
import { plainTables, TableText } from './plain-table.js'

const BLOCKS = new Set(
  (
    'address article blockquote body caption center dd details dialog div dl dt fieldset figcaption figure footer form ' +
    'header hgroup html legend li main ol p pre search section summary table tbody td tfoot th thead tr ul'
  ).split(' '),
)
const HEADING = /^h([1-6])$/

/** The main content of the page as Markdown, or null if the page exceeds a limit of the parser. */
export function htmlToMarkdown(html: string, pageUrl: string, charset = 'utf-8'): string | null {
  const document = parseBounded(html)
  if (document === null) return null
  const page = new PageMarkdown(baseOf(document, pageUrl), charset, plainTables(document))
  for (const root of mainContent(document)) page.add(root)
  return page.toString()
}

class PageMarkdown {
  readonly #writer = new MarkdownWriter()
  readonly #base: string
  readonly #charset: string
  readonly #plainTables: ReadonlySet<Element>
  /** Open lists; a number counts the items of an ordered one. */
  readonly #lists: (number | null)[] = []
  readonly #marks = new Map<Element, Mark>()
  #table: TableText | null = null
  #preformatted: string | null = null
  /** Open sections of the text: a header in one of them is not the page's. */
  #sections = 0

  constructor(base: string, charset: string, tables: ReadonlySet<Element>) {
    this.#base = base
    this.#charset = charset
    this.#plainTables = tables
  }

  add(root: ParentNode): void {
    this.#sections = 'tagName' in root ? 1 : 0
    walk(root, {
      enter: element => this.#enter(element),
      leave: element => this.#leave(element),
      text: value => this.#text(value),
    })
    this.#writer.end()
  }

  toString(): string {
    return this.#writer.toString()
  }

  #text(value: string): void {
    if (this.#preformatted !== null) this.#preformatted += value
    else this.#writer.text(value)
  }

  #enter(element: Element): boolean {
    const { tagName } = element
    const isFrame = (tagName === 'header' || tagName === 'footer') && this.#sections === 0
    if (isFrame || isSkipped(element)) return false
    if (tagName === 'math') return this.#enterFormula(element)
    if (isFormulaPart(element)) this.#text(' ')
    if (SECTIONS.has(tagName)) this.#sections++
    if (this.#preformatted !== null) return true
    if (this.#table) return this.#enterCell(element, this.#table)
    if (BLOCKS.has(tagName) || HEADING.test(tagName)) this.#writer.end()
    switch (tagName) {
      case 'br':
        this.#writer.lineBreak()
        break
      case 'hr':
        this.#writer.block('---')
        break
      case 'img':
        this.#image(element)
        break
      case 'a':
      case 'code':
      case 'kbd':
      case 'samp':
        this.#marks.set(element, this.#writer.mark())
        break
      case 'pre':
        this.#preformatted = ''
        break
      case 'blockquote':
        this.#writer.pushMargin('> ', '> ')
        break
      case 'ul':
      case 'ol':
        this.#lists.push(tagName === 'ol' ? Number(attribute(element, 'start') ?? 1) || 1 : null)
        break
      case 'li':
        this.#item()
        break
      case 'table':
        if (this.#plainTables.has(element)) this.#table = new TableText()
    }
    return true
  }

  /** Writes a formula as TeX if the page has its TeX; otherwise its parts are written as text. */
  #enterFormula(element: Element): boolean {
    const formula = formulaOf(element)
    if (formula === null) return true
    if (this.#preformatted !== null) this.#preformatted += formula
    else this.#writer.raw(formula)
    return false
  }

  #leave(element: Element): void {
    const { tagName } = element
    if (SECTIONS.has(tagName)) this.#sections--
    if (tagName === 'pre') this.#leavePreformatted(element)
    if (this.#preformatted !== null) return
    if (tagName === 'a') this.#link(element)
    else if (tagName === 'code' || tagName === 'kbd' || tagName === 'samp') this.#code(element)
    if (this.#table) this.#leaveCell(element, this.#table)
    else this.#leaveBlock(tagName)
  }

  #leaveBlock(tagName: string): void {
    const heading = HEADING.exec(tagName)
    if (heading) this.#writer.end(`${'#'.repeat(Number(heading[1]))} `)
    else if (tagName === 'blockquote' || tagName === 'li') this.#writer.popMargin()
    else if (BLOCKS.has(tagName)) this.#writer.end()
    if (tagName === 'ul' || tagName === 'ol') this.#lists.pop()
  }

  #item(): void {
    const list = this.#lists.length - 1
    const count = this.#lists[list] ?? null
    if (typeof count === 'number') this.#lists[list] = count + 1
    const bullet = count === null ? '- ' : `${count}. `
    this.#writer.pushMargin(bullet, ' '.repeat(bullet.length))
    this.#writer.tighten()
  }

  #link(element: Element): void {
    const text = this.#taken(element)
    if (text === null) return
    const url = normaliseLink(attribute(element, 'href'), this.#base, this.#charset)
    if (url === null || text.trim() === '') this.#writer.raw(text)
    else this.#writer.raw(`${/^\s/.exec(text) ?? ''}[${text.trim()}](${url})${/\s$/.exec(text) ?? ''}`)
  }

  #image(element: Element): void {
    const alt = (attribute(element, 'alt') ?? '').replaceAll(/\s+/g, ' ').trim()
    const url = normaliseLink(attribute(element, 'src'), this.#base, this.#charset)
    if (alt !== '' && url !== null) this.#writer.raw(`![${alt.replaceAll(/[[\]\\]/g, '\\$&')}](${url})`)
  }

  #code(element: Element): void {
    const text = this.#taken(element)?.replaceAll(/\\([\\`*[\]<_])/g, '$1')
    if (text === undefined || text === '') return
    const ticks = fence(text, 1)
    const room = text.startsWith('`') || text.endsWith('`') ? ' ' : ''
    this.#writer.raw(ticks + room + text + room + ticks)
  }

  #taken(element: Element): string | null {
    const mark = this.#marks.get(element)
    this.#marks.delete(element)
    return mark ? this.#writer.take(mark) : null
  }

  #leavePreformatted(element: Element): void {
    const text = (this.#preformatted ?? '').replace(/^\n/, '').trimEnd()
    this.#preformatted = null
    if (text === '') return
    const ticks = fence(text, 3)
    this.#writer.block(`${ticks}${languageOf(element)}\n${text}\n${ticks}`)
  }

  #enterCell(element: Element, table: TableText): boolean {
    const { tagName } = element
    if (tagName === 'tr') table.startRow()
    else if (tagName === 'br') this.#writer.raw(' ')
    else if (tagName === 'img') this.#image(element)
    else if (tagName !== 'caption') this.#marks.set(element, this.#writer.mark())
    return tagName !== 'caption'
  }

  #leaveCell(element: Element, table: TableText): void {
    const { tagName } = element
    if (tagName === 'td' || tagName === 'th') table.addCell(this.#taken(element) ?? '')
    if (tagName !== 'table') return
    this.#table = null
    this.#marks.clear()
    const text = table.toString()
    if (text !== '') this.#writer.block(text)
  }
}

/** An absolute link with its fragment; null if the link does not lead out of the page. */
function normaliseLink(href: string | undefined, base: string, charset: string): string | null {
  if (href === undefined || href.trim().startsWith('#')) return null
  const url = normaliseUrl(encodeQuery(href, charset), base)
  if (url === null) return null
  const hash = href.indexOf('#')
  const fragment = hash < 0 ? '' : href.slice(hash).trim()
  return (fragment === '#' ? url : url + fragment).replaceAll(/[\s()<>]/g, escapeChar)
}

function escapeChar(char: string): string {
  return char === '(' ? '%28' : char === ')' ? '%29' : encodeURIComponent(char)
}

/** Backticks, at least `least`, that do not end inside of `text`. */
function fence(text: string, least: number): string {
  let longest = 0
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length)
  return '`'.repeat(Math.min(Math.max(least, longest + 1), 100))
}

function languageOf(pre: Element): string {
  const code = pre.childNodes.find((node): node is Element => 'tagName' in node && node.tagName === 'code')
  const names = `${attribute(pre, 'class') ?? ''} ${code ? (attribute(code, 'class') ?? '') : ''}`
  return /\b(?:language|lang|highlight-source)-([\w+#-]{1,20})/.exec(names)?.[1] ?? ''
}
