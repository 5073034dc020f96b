/** Counts keywords in a page: whole words, whatever their case. */

/** Scripts that put no space between words: there a keyword may stand inside other letters. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u
const IN_WORD = /[\p{L}\p{N}\p{M}_]/u

interface Keyword {
  /** As the user wrote it. */
  readonly name: string
  readonly lower: string
  /** The keyword begins or ends with a letter of a spaced script: no such letter may stand beside it. */
  readonly isBoundBefore: boolean
  readonly isBoundAfter: boolean
}

export interface KeywordCounts {
  readonly counts: Readonly<Record<string, number>>
  readonly matches: number
}

const NO_COUNTS: KeywordCounts = { counts: {}, matches: 0 }

export class KeywordCounter {
  readonly #keywords: readonly Keyword[]

  constructor(keywords: readonly string[]) {
    this.#keywords = [...new Set(keywords)].map(name => {
      const lower = name.toLowerCase()
      const [first] = lower
      const last = [...lower].at(-1)!
      return { name, lower, isBoundBefore: isWordEdge(first), isBoundAfter: isWordEdge(last) }
    })
  }

  count(title: string, text: string): KeywordCounts {
    if (this.#keywords.length === 0) return NO_COUNTS
    const lower = `${title}\n${text}`.toLowerCase()
    const counts: Record<string, number> = {}
    let matches = 0
    for (const keyword of this.#keywords) {
      const count = countOf(keyword, lower)
      counts[keyword.name] = count
      matches += count
    }
    return { counts, matches }
  }

  /** The lines of `text` with a keyword: what `--keep part` keeps without a guest's `filter`. */
  linesWith(text: string): string {
    const has = (line: string) => this.#keywords.some(keyword => countOf(keyword, line.toLowerCase()) > 0)
    return text.split('\n').filter(has).join('\n')
  }
}

function isWordEdge(letter: string): boolean {
  return IN_WORD.test(letter) && !UNSPACED.test(letter)
}

function countOf({ lower, isBoundBefore, isBoundAfter }: Keyword, text: string): number {
  let count = 0
  for (let at = text.indexOf(lower); at >= 0; at = text.indexOf(lower, at + lower.length)) {
    const after = at + lower.length
    const isCut = (isBoundBefore && isInWord(text, at - 1)) || (isBoundAfter && isInWord(text, after))
    if (!isCut) count++
  }
  return count
}

function isInWord(text: string, at: number): boolean {
  if (at < 0 || at >= text.length) return false
  const code = text.charCodeAt(at)
  if (code < 128)
    return (
      (code >= 97 && code <= 122) || (code >= 48 && code <= 57) || code === 95 || (code >= 65 && code <= 90)
    )
  // The second half of a surrogate pair stands for its letter.
  const letter = code >= 0xdc00 && code <= 0xdfff ? text.slice(Math.max(0, at - 1), at + 1) : text[at]
  return IN_WORD.test(letter) && !UNSPACED.test(letter)
}
