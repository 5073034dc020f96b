/** A fetched page as a program that uses the library sees it. */
import type { Exchange, ParsedPage } from '../../../model/index.js'
import type { FrontierEntry } from '../../../page/frontier/index.js'

export interface CrawledPage {
  readonly url: string
  readonly status: number
  readonly depth: number
  readonly fetchedAt: number
  readonly fetchMs: number
  readonly mime: string
  readonly charset: string
  readonly title: string
  readonly description: string
  readonly language: string
  readonly canonical: string
  readonly links: readonly string[]
  /** Main text. */
  readonly text: string
  /** The decoded body. */
  readonly body: Buffer
}

/** Gets every fetched page after it was put into the pack; the crawl waits for it. It never rejects. */
export type ReadPage = (page: CrawledPage) => Promise<void>

export function crawledPage(page: ParsedPage, entry: FrontierEntry, exchange: Exchange): CrawledPage {
  // Copy the text: the parser reuses its bytes for the next page.
  const bytes = Buffer.from(page.text)
  let text: string | undefined
  return {
    url: entry.url,
    status: exchange.status,
    depth: entry.depth,
    fetchedAt: exchange.startedAt,
    fetchMs: exchange.fetchMs,
    body: exchange.body,
    mime: page.mime,
    charset: page.charset,
    title: page.title,
    description: page.description,
    language: page.language,
    canonical: page.canonical,
    links: page.links,
    get text() {
      text ??= bytes.toString('utf8')
      return text
    },
  }
}
