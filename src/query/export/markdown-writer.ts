/** Puts Markdown together: blocks with their margins, and the text of the block that is being written. */
import { LIMITS } from '../../model/limits.js'

/** Margins deeper than this are not drawn: nobody reads them, and every line repeats them. */
const MARGIN_DEPTH = 8

interface Margin {
  /** Before the first line of the first block: `- `, `1. `, `> `. */
  first: string
  /** Before all other lines. */
  readonly rest: string
}

export class MarkdownWriter {
  readonly #blocks: string[] = []
  readonly #margins: Margin[] = []
  #chars = 0
  #inline = ''
  /** Grows with every block, so that a link knows whether it still stands in the one it began in. */
  #block = 0
  #isTight = false

  /** Where the next text goes, to come back to with `since`. */
  mark(): { readonly block: number; readonly at: number } {
    return { block: this.#block, at: this.#inline.length }
  }

  /** Takes back what was written since the mark; null when it is no longer in one piece. */
  take(mark: { readonly block: number; readonly at: number }): string | null {
    if (mark.block !== this.#block || mark.at > this.#inline.length) return null
    const text = this.#inline.slice(mark.at)
    this.#inline = this.#inline.slice(0, mark.at)
    return text
  }

  /** Text as it stands in the page: white space collapsed, signs that mean something in Markdown escaped. */
  text(value: string): void {
    const text = value.replaceAll(/\s+/g, ' ')
    if (text === ' ' && (this.#inline === '' || /\s$/.test(this.#inline))) return
    const start = /\s$|^$/.test(this.#inline.slice(-1)) ? text.trimStart() : text
    this.#add(start.replaceAll(/[\\`*[\]<]/g, '\\$&').replaceAll(/(?<!\w)_|_(?!\w)/g, '\\_'))
  }

  /** Markdown as it is. */
  raw(markdown: string): void {
    this.#add(markdown)
  }

  lineBreak(): void {
    if (this.#inline.trim() !== '') this.#inline = `${this.#inline.trimEnd()}  \n`
  }

  /** Ends the block that is being written; `prefix` goes before it where it has text. */
  end(prefix = ''): void {
    const text = this.#inline.trim()
    this.#inline = ''
    this.#block++
    if (text !== '') this.#push(prefix + (prefix === '' ? escapeStart(text) : text.replaceAll('\n', ' ')))
  }

  /** A block that is Markdown already, over several lines. */
  block(markdown: string): void {
    this.end()
    this.#push(markdown)
  }

  pushMargin(first: string, rest: string): void {
    this.end()
    this.#margins.push(this.#margins.length < MARGIN_DEPTH ? { first, rest } : { first: '', rest: '' })
  }

  popMargin(): void {
    this.end()
    this.#margins.pop()
  }

  /** The next block follows the one before without an empty line: items of a list. */
  tighten(): void {
    this.#isTight = true
  }

  toString(): string {
    this.end()
    return this.#blocks.join('')
  }

  #push(text: string): void {
    if (this.#chars > LIMITS.bodyBytes) return
    const first = this.#margins.map(margin => margin.first).join('')
    const rest = this.#margins.map(margin => margin.rest).join('')
    for (const margin of this.#margins) margin.first = margin.rest
    const gap = this.#blocks.length === 0 ? '' : this.#isTight ? '\n' : `\n${rest.trimEnd()}\n`
    this.#isTight = false
    const lines = text.split('\n').map((line, i) => (i === 0 ? first + line : (rest + line).trimEnd()))
    const block = (gap === '' || gap === '\n' ? gap : gap) + lines.join('\n')
    this.#blocks.push(block)
    this.#chars += block.length
  }

  #add(text: string): void {
    if (this.#inline.length <= LIMITS.bodyBytes) this.#inline += text
  }
}

/** What would begin a heading, quote, list or rule at the start of a paragraph. */
function escapeStart(text: string): string {
  return text.replace(/^([#>+~=-])/, '\\$1').replace(/^(\d{1,9})([.)])(\s|$)/, '$1\\$2$3')
}
