/** A page as a tree. Elements are numbers outside, so that they can be named across a sandbox. */
import { serializeOuter } from 'parse5'
import { ELEMENT_TEXT_CHARS, ELEMENTS_FOUND } from '../../limits.js'
import { attribute, type Element, type ParentNode, parseBounded, walk } from '../../parse/tree/index.js'
import { compileSelector, type Matcher } from './selector.js'

/** The whole page, where an element is expected. */
const ROOT = 0

export class PageTree {
  readonly #html: string
  #root: ParentNode | null = null
  readonly #elements: Element[] = []
  readonly #numbers = new Map<Element, number>()
  readonly #matchers = new Map<string, Matcher>()

  /** Nothing is parsed until an element is asked for. */
  constructor(html: string) {
    this.#html = html
  }

  /** Elements inside `scope` (0: the page), in document order. Throws if there are too many. */
  find(scope: number, selector: string): number[] {
    const matcher = this.#matchers.get(selector) ?? compileSelector(selector)
    this.#matchers.set(selector, matcher)
    const found: number[] = []
    walk(this.#scope(scope), {
      enter: element => {
        if (matcher(element)) found.push(this.#numberOf(element))
        return true
      },
    })
    return found
  }

  tag(element: number): string {
    return this.#at(element).tagName
  }

  text(element: number): string {
    const pieces: string[] = []
    let chars = 0
    walk(this.#at(element), {
      enter: ({ tagName }) => tagName !== 'script' && tagName !== 'style',
      text: value => {
        if (chars < ELEMENT_TEXT_CHARS) pieces.push(value)
        chars += value.length
      },
    })
    return pieces.join(' ').slice(0, ELEMENT_TEXT_CHARS).replaceAll(/\s+/g, ' ').trim()
  }

  html(element: number): string {
    return serializeOuter(this.#at(element)).slice(0, ELEMENT_TEXT_CHARS)
  }

  attribute(element: number, name: string): string | undefined {
    return attribute(this.#at(element), name.toLowerCase())
  }

  #scope(scope: number): ParentNode {
    if (scope !== ROOT) return this.#at(scope)
    this.#root ??= parseBounded(this.#html)
    if (this.#root === null) throw new RangeError('the page is too large to be searched')
    return this.#root
  }

  #at(element: number): Element {
    const found = this.#elements[element - 1]
    if (found === undefined) throw new RangeError('there is no such element')
    return found
  }

  #numberOf(element: Element): number {
    let number = this.#numbers.get(element)
    if (number === undefined) {
      if (this.#elements.length >= ELEMENTS_FOUND)
        throw new RangeError(`more than ${ELEMENTS_FOUND} elements of a page were asked for`)
      number = this.#elements.push(element)
      this.#numbers.set(element, number)
    }
    return number
  }
}
