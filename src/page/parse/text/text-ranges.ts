/**
 * The text of a page as ranges of its bytes, each marked with its context. Which text to keep (main, article,
 * or all but boilerplate) is decided at the end of the page: a menu that is never closed must not hide the
 * text.
 */
import { LIMITS } from '../../../model/index.js'
import { Found, type PageMemory } from '../memory/index.js'
import { Tag, Trait } from '../tags/index.js'

export const Mark = {
  /** A line break, or at least a space, precedes it. */
  line: 1,
  space: 2,
  /** Its line breaks count. */
  preformatted: 4,
  boilerplate: 8,
  main: 16,
  article: 32,
} as const

/** The gap that a tag with these traits makes. */
export function gapOf(traits: number): number {
  if ((traits & Trait.block) !== 0) return Mark.line
  return (traits & Trait.cell) !== 0 ? Mark.space : 0
}

export class TextRanges {
  count = 0
  starts = new Int32Array(1_024)
  ends = new Int32Array(1_024)
  marks = new Uint8Array(1_024)
  /** Bytes of text by context, without boilerplate. */
  #mainBytes = 0
  #articleBytes = 0
  #plainBytes = 0
  /** The gap before the next range. */
  #gap = 0
  readonly #boilerplate = new OpenTag()
  readonly #main = new OpenTag()
  #articles = 0
  #sections = 0
  #preformatted = false

  reset(): void {
    this.count = 0
    this.#mainBytes = 0
    this.#articleBytes = 0
    this.#plainBytes = 0
    this.#gap = 0
    this.#boilerplate.reset()
    this.#main.reset()
    this.#articles = 0
    this.#sections = 0
    this.#preformatted = false
  }

  /**
   * Lets the module search from `from` to the next tag that the scanner must read, and returns the position
   * of that tag. Takes over the text in between and the depth of the element that decides the context.
   */
  find(memory: PageMemory, from: number, length: number): number {
    const decisive = this.#boilerplate.depth > 0 ? this.#boilerplate : this.#main
    const state = this.#gap | (this.#preformatted ? Mark.preformatted : 0)
    const next = memory.wasm.nextForText(from, length, state, decisive.tag, decisive.depth)
    const { results } = memory
    const found = results[Found.ranges]!
    if (found > 0) this.#take(memory.ranges, found)
    const stateThere = results[Found.state]!
    this.#gap = stateThere & (Mark.line | Mark.space)
    this.#preformatted = (stateThere & Mark.preformatted) !== 0
    decisive.depth = results[Found.depth]!
    return next
  }

  #take(found: Int32Array, count: number): void {
    const first = this.count
    while (first + count > this.marks.length && this.#grow()) {}
    const last = Math.min(first + count, this.marks.length)
    const place = this.#place()
    const { starts, ends, marks } = this
    let bytes = 0
    for (let i = first, at = 0; i < last; i++, at += 3) {
      starts[i] = found[at]!
      ends[i] = found[at + 1]!
      marks[i] = found[at + 2]! | place
      bytes += found[at + 1]! - found[at]!
    }
    this.count = last
    this.#sum(place, bytes)
  }

  /** Text between two tags. */
  add(bytes: Uint8Array, from: number, to: number): void {
    let start = from
    while (start < to && bytes[start]! <= 0x20) start++
    if (start > from) this.#gap |= this.#blankGap(bytes, from, start)
    if (start === to || (this.count === this.marks.length && !this.#grow())) return
    let end = to
    while (bytes[end - 1]! <= 0x20) end--
    this.starts[this.count] = start
    this.ends[this.count] = end
    const place = this.#place()
    this.marks[this.count++] = this.#gap | place | (this.#preformatted ? Mark.preformatted : 0)
    this.#sum(place, end - start)
    this.#gap = end < to ? this.#blankGap(bytes, end, to) : 0
  }

  /** Adds a space before the next text. */
  setApart(): void {
    this.#gap |= Mark.space
  }

  #blankGap(bytes: Uint8Array, from: number, to: number): number {
    if (this.#preformatted)
      for (let i = from; i < to; i++) if (bytes[i] === 0x0a || bytes[i] === 0x0d) return Mark.line
    return Mark.space
  }

  /** The context of the current position. */
  #place(): number {
    if (this.#boilerplate.depth > 0) return Mark.boilerplate
    return (this.#main.depth > 0 ? Mark.main : 0) | (this.#articles > 0 ? Mark.article : 0)
  }

  #sum(place: number, bytes: number): void {
    if ((place & Mark.boilerplate) !== 0) return
    this.#plainBytes += bytes
    if ((place & Mark.main) !== 0) this.#mainBytes += bytes
    if ((place & Mark.article) !== 0) this.#articleBytes += bytes
  }

  open(tag: number, traits: number, role: string | null): void {
    this.#gap |= gapOf(traits)
    if (tag === Tag.pre) this.#preformatted = true
    if (this.#boilerplate.depth > 0) {
      // Main text is never inside a menu, so the menu was not closed.
      if (tag !== Tag.main) {
        this.#boilerplate.again(tag)
        return
      }
      this.#boilerplate.reset()
    }
    this.#main.again(tag)
    if (tag === Tag.main || role === 'main') this.#main.enter(tag)
    else if (role === 'navigation' || this.#isBoilerplate(tag, traits)) this.#boilerplate.enter(tag)
    else if (tag === Tag.article) this.#articles++
    else if (tag === Tag.section) this.#sections++
  }

  /** A header or footer is boilerplate unless it is in a section of the text. */
  #isBoilerplate(tag: number, traits: number): boolean {
    if ((traits & Trait.boilerplate) === 0 || tag === Tag.article || tag === Tag.section) return false
    if (tag !== Tag.header && tag !== Tag.footer) return true
    return this.#main.depth === 0 && this.#articles === 0 && this.#sections === 0
  }

  close(tag: number, traits: number): void {
    this.#gap |= gapOf(traits)
    if (tag === Tag.pre) this.#preformatted = false
    if (this.#boilerplate.depth > 0) {
      this.#boilerplate.leave(tag)
      return
    }
    this.#main.leave(tag)
    if (tag === Tag.article && this.#articles > 0) this.#articles--
    else if (tag === Tag.section && this.#sections > 0) this.#sections--
  }

  /** A range is wanted if its marks, under `mask`, equal `value`. */
  choice(): { readonly mask: number; readonly value: number } {
    if (this.#mainBytes > 0) return { mask: Mark.main | Mark.boilerplate, value: Mark.main }
    if (this.#articleBytes > 0) return { mask: Mark.article | Mark.boilerplate, value: Mark.article }
    if (this.#plainBytes > 0) return { mask: Mark.boilerplate, value: 0 }
    return { mask: 0, value: 0 }
  }

  #grow(): boolean {
    if (this.marks.length >= LIMITS.textRanges) return false
    const size = Math.min(this.marks.length * 4, LIMITS.textRanges)
    const { starts, ends, marks } = this
    this.starts = new Int32Array(size)
    this.ends = new Int32Array(size)
    this.marks = new Uint8Array(size)
    this.starts.set(starts)
    this.ends.set(ends)
    this.marks.set(marks)
    return true
  }
}

/** One open element, tracked by counting tags of its name. */
class OpenTag {
  depth = 0
  tag = 0

  reset(): void {
    this.depth = 0
  }

  enter(tag: number): void {
    if (this.depth > 0 || tag === 0) return
    this.tag = tag
    this.depth = 1
  }

  again(tag: number): void {
    // A button ends the previous one.
    if (this.depth > 0 && tag === this.tag && tag !== Tag.button) this.depth++
  }

  leave(tag: number): void {
    if (this.depth > 0 && tag === this.tag) this.depth--
  }
}
