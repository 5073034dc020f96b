/** `--keywords` and `--keep` without a module: no foreign code runs, and nothing is awaited. */
import type { Guest, JudgedPage, Judgement, Rating } from './guest.js'
import { Selection, type SelectionSettings } from './selection.js'

export class KeywordGuest implements Guest {
  readonly rates = false
  readonly readsLinks = false
  readonly schema = null
  readonly #selection: Selection

  constructor(settings: SelectionSettings) {
    this.#selection = new Selection(settings)
  }

  judge(page: JudgedPage): Judgement {
    const verdict = this.#selection.verdictOn(this.#selection.factsOf(page), false)
    const part = verdict === 'part' ? this.#selection.counter.linesWith(page.text()) : ''
    return { ok: true, verdict, part, items: [] }
  }

  rate(urls: readonly string[]): readonly Rating[] {
    return urls.map(() => 0)
  }

  async save(): Promise<string> {
    return ''
  }

  async close(): Promise<void> {}
}
