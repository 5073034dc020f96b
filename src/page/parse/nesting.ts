/**
 * The part of tree construction that decides whether a start tag becomes an element, and what its content is:
 * select, template, svg and math. The rest of tree construction moves elements, but neither drops nor adds a
 * link.
 */
import { LIMITS } from '../../model/index.js'
import { TAG_TRAITS, Tag, Trait } from './tags/index.js'

export class Nesting {
  /** False after markup whose meaning depends on the rest of tree construction. */
  understood = true
  /** Neither select, template, svg nor math is open. */
  ordinary = true
  /** The text here belongs to the page: nothing special is open, or a formula is. */
  readable = true
  /** A frameset was met, so that its frames count. */
  frames = false
  #select = false
  #templates = 0
  /** Open svg or math elements, outermost first. */
  readonly #foreign = new Uint8Array(LIMITS.foreignDepth)
  #foreignDepth = 0

  reset(): void {
    this.understood = true
    this.ordinary = true
    this.readable = true
    this.frames = false
    this.#select = false
    this.#templates = 0
    this.#foreignDepth = 0
  }

  /** Inside a template, whose content is not part of the page. */
  get inert(): boolean {
    return this.#templates > 0
  }

  get foreign(): boolean {
    return this.#foreignDepth > 0
  }

  /** Handles a start tag; false if it does not become an HTML element. */
  open(tag: number, traits: number, selfClosing: boolean): boolean {
    if (!this.ordinary && !this.#admits(tag, traits, selfClosing)) return false
    if ((traits & Trait.structure) !== 0) this.#enter(tag, selfClosing)
    return true
  }

  close(tag: number, traits: number): void {
    if (this.#foreignDepth > 0) this.#closeForeign(tag)
    else if (tag === Tag.select) this.#select = false
    else if ((traits & Trait.tablePart) !== 0 || (this.#select && tag === Tag.template)) this.#giveUp()
    if (tag === Tag.template && this.#templates > 0) this.#templates--
    this.#update()
  }

  /** A CDATA section in svg or math; parse5 accepts none in an HTML integration point. */
  cdata(): void {
    if ((TAG_TRAITS[this.#foreign[this.#foreignDepth - 1]!]! & Trait.htmlInside) !== 0) this.#giveUp()
  }

  #enter(tag: number, selfClosing: boolean): void {
    if (tag === Tag.select) this.#select = true
    else if (tag === Tag.template) this.#templates++
    else if (tag === Tag.frameset) {
      // It removes the body with all its links, or is ignored.
      this.frames = true
      this.#giveUp()
    } else if ((tag === Tag.svg || tag === Tag.math) && !selfClosing)
      this.#foreign[this.#foreignDepth++] = tag
    this.#update()
  }

  #admits(tag: number, traits: number, selfClosing: boolean): boolean {
    if (this.#foreignDepth > 0) return this.#openForeign(tag, traits, selfClosing)
    if (this.#select) return this.#openInSelect(tag, traits)
    // In a template a column group drops even raw text tags, parse5 lets a table part end the template, and a
    // link before a marker is opened again after the template.
    if (tag === Tag.col || tag === Tag.colgroup || (traits & (Trait.tablePart | Trait.marker)) !== 0)
      this.#giveUp()
    return true
  }

  /** Inside select nearly every tag is dropped, and raw text elements contain tags. */
  #openInSelect(tag: number, traits: number): boolean {
    if (tag === Tag.script) return true
    if (tag === Tag.template || tag === Tag.html || (traits & Trait.tablePart) !== 0) {
      this.#giveUp()
      return true
    }
    const ends = tag === Tag.select || tag === Tag.input || tag === Tag.keygen || tag === Tag.textarea
    if (!ends) return false
    this.#select = false
    this.#update()
    return tag !== Tag.select
  }

  #openForeign(tag: number, traits: number, selfClosing: boolean): boolean {
    const inside = TAG_TRAITS[this.#foreign[this.#foreignDepth - 1]!]!
    const harmless = this.#foreign[0] === Tag.svg ? Trait.svg : Trait.math
    if (
      (traits & harmless) === 0 ||
      (inside & Trait.htmlInside) !== 0 ||
      this.#foreignDepth === LIMITS.foreignDepth
    ) {
      this.#leaveForeign()
      return true
    }
    if (!selfClosing) this.#foreign[this.#foreignDepth++] = tag
    if (tag === Tag.annotation) this.#update()
    return false
  }

  #closeForeign(tag: number): void {
    for (let i = this.#foreignDepth - 1; i >= 0; i--)
      if (this.#foreign[i] === tag) {
        this.#foreignDepth = i
        return
      }
    this.#leaveForeign()
  }

  #leaveForeign(): void {
    this.#giveUp()
    this.#foreignDepth = 0
    this.#update()
  }

  #giveUp(): void {
    this.understood = false
  }

  #update(): void {
    const isShown = !this.#select && this.#templates === 0
    this.ordinary = isShown && this.#foreignDepth === 0
    this.readable = isShown && (this.#foreignDepth === 0 || this.#isFormula())
  }

  /** In math, but not in an annotation, which repeats the formula in TeX. */
  #isFormula(): boolean {
    if (this.#foreign[0] !== Tag.math) return false
    return !this.#foreign.subarray(0, this.#foreignDepth).includes(Tag.annotation)
  }
}
