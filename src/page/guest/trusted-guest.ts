/** A guest in this process, with all rights of its user. */
import type {
  Facts,
  Guest,
  GuestFailure,
  GuestPage,
  JudgedPage,
  Judgement,
  PageElement,
  Rating,
} from './guest.js'
import { checkVerdict, type GuestFunction, type GuestModule, judgementOf, ratingOf } from './guest-module.js'
import { PageTree } from './html/index.js'
import { ItemCheck, type ItemSchema } from './items.js'
import { Selection, type SelectionSettings } from './selection.js'
import type { Verdict } from './verdict.js'

export class TrustedGuest implements Guest {
  readonly rates: boolean
  readonly readsLinks: boolean
  readonly #items: ItemCheck
  readonly #module: GuestModule
  readonly #selection: Selection

  /** Throws a TypeError of one line if the schema is not right, or if `load` throws. */
  constructor(module: GuestModule, settings: SelectionSettings, state = '') {
    this.#module = module
    this.#selection = new Selection(settings)
    this.rates = module.accept !== undefined || module.score !== undefined
    this.readsLinks = module.filter !== undefined || module.extract !== undefined
    this.#items = new ItemCheck(module.schema)
    this.#selection.check(module.filter !== undefined)
    if (state !== '') module.load?.(JSON.parse(state))
  }

  get schema(): ItemSchema | null {
    return this.#items.schema
  }

  async judge(page: JudgedPage): Promise<Judgement> {
    const { select, filter, extract } = this.#module
    let asked: GuestFunction = 'select'
    try {
      const facts = this.#selection.factsOf(page)
      const selected = select
        ? this.#checked(await select.call(this.#module, facts))
        : this.#selection.verdictOn(facts, filter !== undefined)
      if (typeof selected === 'object') return { ok: false, failure: selected }
      const verdict: Verdict = selected
      if (verdict === 'none') return judgementOf(verdict, undefined, undefined, this.#items)
      const shown = pageOf(facts, page)
      asked = 'filter'
      let part: unknown
      if (verdict === 'part')
        part = filter ? await filter.call(this.#module, shown) : this.#selection.counter.linesWith(shown.text)
      asked = 'extract'
      const rows = extract === undefined ? undefined : await extract.call(this.#module, shown)
      return judgementOf(verdict, part, rows, this.#items)
    } catch (error) {
      return { ok: false, failure: threw(asked, error) }
    }
  }

  rate(urls: readonly string[]): readonly Rating[] {
    return urls.map(url => this.#rate(url))
  }

  async save(): Promise<string> {
    const state = this.#module.save?.()
    return state === undefined ? '' : JSON.stringify(state)
  }

  async close(): Promise<void> {}

  #checked(value: unknown): Verdict | GuestFailure {
    const verdict = checkVerdict(value)
    if (typeof verdict === 'object') return verdict
    return this.#selection.checkPart(verdict, this.#module.filter !== undefined)
  }

  #rate(url: string): Rating {
    const { accept, score } = this.#module
    let asked: GuestFunction = 'accept'
    try {
      const isAccepted = accept === undefined || accept.call(this.#module, url)
      asked = 'score'
      return ratingOf(isAccepted, isAccepted && score !== undefined ? score.call(this.#module, url) : 0)
    } catch (error) {
      return threw(asked, error)
    }
  }
}

function threw(asked: GuestFunction, error: unknown): GuestFailure {
  const stack = error instanceof Error ? error.stack : undefined
  const failure = { code: 'GUEST_THREW', detail: `${asked}: ${String(error)}` } as const
  return stack === undefined ? failure : { ...failure, stack }
}

function pageOf(facts: Facts, page: JudgedPage): GuestPage {
  let tree: PageTree | null = null
  return {
    ...facts,
    links: page.links,
    body: page.body,
    get text() {
      return page.text()
    },
    get html() {
      return page.html()
    },
    find(selector) {
      tree ??= new PageTree(page.html())
      return elementsOf(tree, 0, selector)
    },
  }
}

function elementsOf(tree: PageTree, scope: number, selector: string): PageElement[] {
  return tree.find(scope, selector).map(element => ({
    tag: tree.tag(element),
    get text() {
      return tree.text(element)
    },
    get html() {
      return tree.html(element)
    },
    attribute: name => tree.attribute(element, name),
    find: inner => elementsOf(tree, element, inner),
  }))
}
