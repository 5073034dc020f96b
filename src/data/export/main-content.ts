/** Finds the main content of an HTML tree, by the same rules as the `text` column. */
import { attribute, type Element, type ParentNode, walk } from './html-tree.js'

/** Elements whose content is never shown as text. */
const SILENT = new Set(
  'script style head template noscript iframe object svg annotation annotation-xml'.split(' '),
)
/** Elements whose text is not part of the main content. */
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

/**
 * Elements whose content is left out of the main content. Callers also leave out headers and footers outside
 * of `SECTIONS`.
 */
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
