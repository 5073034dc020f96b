/** Puts Markdown together: blocks with their margins, and the text of the block that is being written. */
import { LIMITS } from '../../model/index.js'

/** Deeper margins are left out: every line would repeat them, and they help no reader. */
const MARGIN_DEPTH = 8

const LINE_BREAK = '  \n'

interface Margin {
  /** Before the first line of the first block: `- `, `1. `, `> `. */
  first: string
  /** Before all other lines. */
  readonly rest: string
}

/** A place in the block that is being written. */
export interface Mark {
  readonly block: number
  readonly at: number
}

export class MarkdownWriter {
  readonly #blocks: string[] = []
  readonly #margins: Margin[] = []
  #chars = 0
  /** The text of the block, in pieces: a single string would be copied at each change. */
  #inline: string[] = []
  #inlineChars = 0
  /** The number of the block, by which a link can tell whether its block has ended. */
  #block = 0
  #isTight = false

  /** The position of the next text; `take` removes the text after it. */
  mark(): Mark {
    return { block: this.#block, at: this.#inline.length }
  }

  /** Removes and returns the text written since the mark; null if the block of the mark has ended. */
  take(mark: Mark): string | null {
    if (mark.block !== this.#block || mark.at > this.#inline.length) return null
    const text = this.#inline.splice(mark.at).join('')
    this.#inlineChars -= text.length
    return text
  }

  /** Text as it stands in the page: white space collapsed, characters with a meaning in Markdown escaped. */
  text(value: string): void {
    const collapsed = value.replaceAll(/\s+/g, ' ')
    const text = this.#isAfterSpace() && collapsed.startsWith(' ') ? collapsed.slice(1) : collapsed
    this.raw(text.replaceAll(/[\\`*[\]<]/g, '\\$&').replaceAll(/(?<!\w)_|_(?!\w)/g, '\\_'))
  }

  /** Markdown as it is. */
  raw(markdown: string): void {
    if (markdown === '' || this.#inlineChars > LIMITS.bodyBytes) return
    this.#inline.push(markdown)
    this.#inlineChars += markdown.length
  }

  /** Two line breaks in a row end the block, because pages without paragraph elements use them so. */
  lineBreak(): void {
    const last = this.#inline.pop()
    if (last === undefined) return
    this.#inlineChars -= last.length
    if (last === LINE_BREAK) {
      this.end()
      return
    }
    this.raw(last.trimEnd())
    this.raw(LINE_BREAK)
  }

  /** Ends the block that is being written; puts `prefix` before its text if there is any. */
  end(prefix = ''): void {
    this.#block++
    if (this.#inline.length === 0) return
    const text = this.#inline.join('').trim()
    this.#inline = []
    this.#inlineChars = 0
    if (text !== '') this.#push(prefix === '' ? escapeStart(text) : prefix + text.replaceAll(/\s*\n/g, ' '))
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
    const lines = text
      .split('\n')
      .map((line, i) => (i === 0 ? first + line : line === '' ? rest.trimEnd() : rest + line))
    const block = gap + lines.join('\n')
    this.#blocks.push(block)
    this.#chars += block.length
  }

  #isAfterSpace(): boolean {
    const last = this.#inline[this.#inline.length - 1]
    return last === undefined || last.endsWith(' ') || last.endsWith('\n')
  }
}

/** What would begin a heading, quote, list or rule at the start of a paragraph. */
function escapeStart(text: string): string {
  return text.replace(/^([#>+~=-])/, '\\$1').replace(/^(\d{1,9})([.)])(\s|$)/, '$1\\$2$3')
}
