/** Port `Guest`: judges pages and rates links. Nothing here knows of agents, packs or the ledger. */
import type { GuestFailureCode, Millis } from '../../model/index.js'
import type { Item, ItemSchema } from './items.js'
import type { Verdict } from './verdict.js'

/** What a verdict can be based on without reading the page. `K`: the keywords that are counted. */
export interface Facts<K extends string = string> {
  readonly url: string
  readonly status: number
  /** Links from a seed. */
  readonly depth: number
  readonly fetchedAt: Millis
  readonly fetchMs: Millis
  /** Detected from the bytes. */
  readonly mime: string
  readonly charset: string
  readonly title: string
  readonly description: string
  readonly language: string
  readonly canonical: string
  readonly bodyBytes: number
  readonly textBytes: number
  readonly linkCount: number
  /** How often each keyword occurs in title and text. */
  readonly counts: Readonly<Record<K, number>>
  /** The sum of `counts`. */
  readonly matches: number
}

/** An element of a page that `find` returned. */
export interface PageElement {
  readonly tag: string
  /** White space is one space. */
  readonly text: string
  /** With its own tag. */
  readonly html: string
  /** The value of an attribute; undefined without it. */
  attribute(name: string): string | undefined
  /** Elements inside this one. */
  find(selector: string): readonly PageElement[]
}

/** A page as `filter` and `extract` see it. */
export interface GuestPage<K extends string = string> extends Facts<K> {
  readonly links: readonly string[]
  /** Main text, a line for each paragraph. */
  readonly text: string
  /** The decoded body; empty if it is not text. */
  readonly html: string
  /** Elements by CSS selector, in document order. */
  find(selector: string): readonly PageElement[]
  /** The body without content encodings, only for trusted guests. */
  readonly body?: Buffer
}

export interface GuestFailure {
  readonly code: GuestFailureCode
  readonly detail: string
  /** For the log, of an exception. */
  readonly stack?: string
}

export type Judgement =
  | {
      readonly ok: true
      readonly verdict: Verdict
      /** What `filter` returned, for the verdict `part`. */
      readonly part: string
      readonly items: readonly Item[]
    }
  | { readonly ok: false; readonly failure: GuestFailure }

/** Null keeps the URL out of the crawl; a higher score is fetched sooner within its site. */
export type Rating = number | null | GuestFailure

export interface Guest {
  /** True if links are rated: `rate` need not be called otherwise. */
  readonly rates: boolean
  /** True if every link of a page is needed, also those that lead to known URLs. */
  readonly readsLinks: boolean
  /** Columns of the rows; null if they are inferred, or there are none. */
  readonly schema: ItemSchema | null
  /** Never rejects. `page` is valid until the judgement is there. */
  judge(page: JudgedPage): Judgement | Promise<Judgement>
  /** One rating for each URL. Never rejects. */
  rate(urls: readonly string[]): readonly Rating[] | Promise<readonly Rating[]>
  /** What the guest remembers, as JSON; empty if nothing. Another instance continues with it. */
  save(): Promise<string>
  close(): Promise<void>
}

/** A page on its way to a guest: text and body are converted only when they are needed. */
export interface JudgedPage {
  readonly facts: Omit<Facts, 'counts' | 'matches'>
  readonly links: readonly string[]
  readonly text: () => string
  readonly html: () => string
  readonly body: Buffer
}
