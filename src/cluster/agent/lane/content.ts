/** What a response contains, or what the previous crawl knows of an unchanged page. */

import { type PageFacts, type PageLinks, unpackFacts } from '../../../data/store/tables/index.js'
import { linkKindOf } from '../../../data/store/tables/parquet/index.js'
import type { Conversion, Revisit } from '../../../data/store/warc/index.js'
import type { Exchange, MetaInfo, Millis, ParsedPage } from '../../../model/index.js'
import { normaliseEscapes } from '../../../model/url/index.js'
import type { Item, Verdict } from '../../../page/guest/index.js'
import { NO_PAGE_RULES, type PageRules, pageRules } from '../../../page/robots/index.js'

/** What parsing adds to a row. */
export interface Content {
  readonly page: ParsedPage | null
  readonly digest: string
  readonly links: PageLinks | null
  readonly outlinks: number
  readonly foreign: number
  readonly revisit: Revisit | null
  readonly rules: PageRules
  /** What the previous crawl knew, if the page has not changed. */
  readonly known?: MetaInfo
  /** The facts of the previous row. */
  readonly facts?: PageFacts
  /** What the guest decided; absent without a guest, or if it failed. */
  readonly verdict?: Verdict
  /** The kept part, for the archive and as text for the table. */
  readonly conversion?: Conversion
  readonly partText?: Buffer
  readonly items?: readonly Item[]
}

export const NO_CONTENT: Content = {
  page: null,
  rules: NO_PAGE_RULES,
  digest: '',
  links: null,
  outlinks: 0,
  foreign: 0,
  revisit: null,
}

/** A 304 has no body: the facts, text and link rows of the previous crawl stand. */
export function unchanged(url: string, known: MetaInfo, wantFacts: boolean): Content {
  const facts = wantFacts && known.facts ? unpackFacts(known.facts) : undefined
  const rows = known.links.map(link => link.split(' '))
  const links = {
    targets: rows.map(([target]) => normaliseEscapes(target)),
    kinds: rows.map(([, ...kind]) => linkKindOf(kind)),
  }
  return {
    page: null,
    digest: known.digest,
    links,
    outlinks: facts?.outlinks ?? known.links.length,
    foreign: facts?.outlinksForeign ?? known.links.length,
    revisit: revisitOf(url, known, 'server-not-modified'),
    rules: NO_PAGE_RULES,
    known,
    ...(facts ? { facts } : {}),
  }
}

/** The revisit if the payload has not changed. A truncated payload may differ after the cut: null. */
export function identical(exchange: Exchange, digest: string, known: MetaInfo | undefined): Revisit | null {
  if (known === undefined || known.digest !== digest || exchange.truncated !== undefined) return null
  return revisitOf(exchange.url, known, 'identical-payload-digest')
}

/** Null if no archive holds the body that a revisit record would refer to. */
function revisitOf(url: string, known: MetaInfo, profile: Revisit['profile']): Revisit | null {
  if (known.storedAt === '') return null
  return { profile, refersToUrl: url, refersToDate: known.storedAt, digest: known.digest }
}

/** The product token of robots.txt files and of robots meta elements. */
export const PRODUCT_TOKEN = 'orbweaver'

/** What a page asks of robots, in its meta elements and headers; nothing with `--robots ignore`. */
export function rulesOfPage(
  mode: 'strict' | 'rfc9309' | 'ignore',
  metaRobots: string,
  exchange: Exchange,
  now: Millis,
): PageRules {
  const header = mode === 'ignore' ? undefined : exchange.header('x-robots-tag')
  if (mode === 'ignore' || (header === undefined && metaRobots === '')) return NO_PAGE_RULES
  const headers = header === undefined ? [] : (exchange.headerValues?.('x-robots-tag') ?? [header])
  return pageRules(metaRobots, headers, PRODUCT_TOKEN, now)
}
