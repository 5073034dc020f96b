/** The verdict of a crawl without `select`: by keywords, and by what a relevant page keeps. */
import type { Facts, GuestFailure, JudgedPage } from './guest.js'
import { KeywordCounter } from './keywords.js'
import type { Keep, Verdict } from './verdict.js'

export interface SelectionSettings {
  readonly keywords: readonly string[]
  /** A page with fewer occurrences of keywords is not relevant. */
  readonly minKeywords: number
  /** Undefined: the part that `filter` returns if the guest has one, else the page. */
  readonly keep: Keep | undefined
}

export class Selection {
  readonly counter: KeywordCounter
  readonly #settings: SelectionSettings

  constructor(settings: SelectionSettings) {
    this.#settings = settings
    this.counter = new KeywordCounter(settings.keywords)
  }

  factsOf(page: JudgedPage): Facts {
    const { facts } = page
    const text = this.#settings.keywords.length === 0 ? '' : page.text()
    return { ...facts, ...this.counter.count(facts.title, text) }
  }

  /** Throws a TypeError if a part is to be kept, and nothing says which. */
  check(hasFilter: boolean): void {
    if (this.#settings.keep === 'part' && !this.#hasPart(hasFilter))
      throw new TypeError('--keep part needs a filter in the guest, or --keywords')
  }

  /** The verdict of `select`, or a failure if it is a part and nothing says which. */
  checkPart(verdict: Verdict, hasFilter: boolean): Verdict | GuestFailure {
    if (verdict !== 'part' || this.#hasPart(hasFilter)) return verdict
    return { code: 'GUEST_OUTPUT', detail: 'select returned "part", but the guest has no filter' }
  }

  #hasPart(hasFilter: boolean): boolean {
    return hasFilter || this.#settings.keywords.length > 0
  }

  /** `hasFilter`: the guest exports `filter`. */
  verdictOn({ matches }: Facts, hasFilter: boolean): Verdict {
    const { keywords, minKeywords, keep } = this.#settings
    if (keywords.length > 0 && matches < minKeywords) return 'none'
    return keep ?? (hasFilter ? 'part' : 'page')
  }
}
