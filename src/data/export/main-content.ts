/** Which part of a page is its own text: the same choice as the `text` column makes, on a tree. */
import { attribute, type Element, type ParentNode, walk } from './html-tree.js'

/** Never text. */
const SILENT = new Set(
  'script style head template noscript iframe object svg annotation annotation-xml'.split(' '),
)
/** Text, but not the page's own. */
const BOILERPLATE = new Set(['nav', 'aside', 'menu', 'button', 'datalist', 'select', 'textarea'])

/** Elements whose header and footer belong to the text. */
export const SECTIONS: ReadonlySet<string> = new Set(['main', 'article', 'section'])

/** The outermost <main> elements with text, else the outermost articles, else the document. */
export function mainContent(document: ParentNode): readonly ParentNode[] {
  const mains = new Collector(element => element.tagName === 'main' || attribute(element, 'role') === 'main')
  const articles = new Collector(element => element.tagName === 'article')
  walk(document, {
    enter: element => {
      if (isSkipped(element)) return false
      mains.enter(element)
      articles.enter(element)
      return true
    },
    leave: element => {
      mains.leave(element)
      articles.leave(element)
    },
    text: value => {
      if (value.trim() === '') return
      mains.text()
      articles.text()
    },
  })
  if (mains.found.length > 0) return mains.found
  return articles.found.length > 0 ? articles.found : [document]
}

/** Elements whose content is left out. Headers and footers are too, outside of the sections of the text. */
export function isSkipped(element: Element): boolean {
  const { tagName } = element
  if (SILENT.has(tagName) || BOILERPLATE.has(tagName) || attribute(element, 'role') === 'navigation')
    return true
  return attribute(element, 'hidden') !== undefined || attribute(element, 'aria-hidden') === 'true'
}

/** Outermost elements of one kind that hold text. */
class Collector {
  readonly found: Element[] = []
  readonly #wanted: (element: Element) => boolean
  #open: Element | null = null
  #hasText = false

  constructor(wanted: (element: Element) => boolean) {
    this.#wanted = wanted
  }

  enter(element: Element): void {
    if (this.#open !== null || !this.#wanted(element)) return
    this.#open = element
    this.#hasText = false
  }

  text(): void {
    this.#hasText = true
  }

  leave(element: Element): void {
    if (element !== this.#open) return
    if (this.#hasText) this.found.push(element)
    this.#open = null
  }
}
