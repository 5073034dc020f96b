/** Rebuilds a page row and its link rows from an archived exchange, with the code of the crawl. */
import {
  type Content,
  isReadable,
  isService,
  LinkRows,
  NO_CONTENT,
  rowOf,
  rulesOfPage,
  unchanged,
  type WantedLinks,
} from '../cluster/agent/lane/index.js'
import { fetchOutcomeOf } from '../cluster/agent/pack/index.js'
import type { CrawlConfig } from '../config/index.js'
import { type PageLinks, tableLinks, tableRow } from '../data/store/tables/index.js'
import {
  type Discovery,
  type Exchange,
  LIMITS,
  type MetaInfo,
  type OutcomeCode,
  type PageRow,
} from '../model/index.js'
import { siteOf } from '../model/url/index.js'
import { parsePage } from '../page/parse/index.js'
import { type ArchivedExchange, exchangeOf } from './archived-exchange.js'

export interface RebuiltPage {
  /** As the tables show it. */
  readonly row: PageRow
  readonly links: PageLinks | null
  /** False if the payload is in the archive of another crawl: then the row has no title and text. */
  readonly isWhole: boolean
}

export interface RebuildSettings {
  readonly config: CrawlConfig
  /** What the previous crawl knew of a URL. */
  readonly known: (url: string) => Promise<MetaInfo | undefined>
}

/** The queue entry of a visit. */
export type Visit = Discovery & { readonly attempt: number }

/** The lane is not archived. */
const UNKNOWN_LANE = 0

/** Null for archived exchanges without a row: robots.txt, sitemaps, probes. */
export async function rebuildPage(
  archived: ArchivedExchange,
  visit: Visit,
  code: OutcomeCode,
  settings: RebuildSettings,
): Promise<RebuiltPage | null> {
  const exchange = await exchangeOf(archived, settings.config.maxBody)
  if (exchange === null || isService(code)) return null
  const { content, isWhole } = await contentOf(archived, exchange, visit.url, code, settings)
  const { redirect } = fetchOutcomeOf({ ok: true, exchange }, visit.hops, LIMITS.redirectHops, true)
  const outcome = { code, detail: '', exchange, redirect: code === 'REDIRECT' ? redirect : '' }
  const row = rowOf(UNKNOWN_LANE, visit, outcome, content, exchange.startedAt)
  return {
    row: tableRow({
      ...row,
      refersToDate: archived.record.headers.get('warc-refers-to-date') ?? '',
      warcOffset: archived.offset,
      warcLength: archived.length,
    }),
    links: content.links === null ? null : tableLinks(content.links),
    isWhole,
  }
}

async function contentOf(
  { record }: ArchivedExchange,
  exchange: Exchange,
  url: string,
  code: OutcomeCode,
  { config, known }: RebuildSettings,
): Promise<{ readonly content: Content; readonly isWhole: boolean }> {
  const digest = record.headers.get('warc-payload-digest') ?? ''
  if (record.type === 'revisit') {
    const meta = await known(url)
    if (meta === undefined) return { content: { ...NO_CONTENT, digest }, isWhole: false }
    return { content: unchanged(url, meta, true), isWhole: meta.facts !== undefined }
  }
  if (!isReadable(code, exchange)) return { content: { ...NO_CONTENT, digest }, isWhole: true }
  const page = parsePage({
    url,
    body: exchange.body,
    contentType: exchange.header('content-type'),
    refresh: exchange.header('refresh'),
    wantText: true,
    wantRequisites: config.assets,
  })
  const rules = rulesOfPage(config.robots, page.robots, exchange, exchange.startedAt)
  const { foreign, rows } = linksOf(url, page.links, page.kinds, config.links)
  const content = {
    page,
    rules,
    digest,
    links: rows,
    outlinks: page.links.length,
    foreign,
    revisit: null,
  }
  return { content, isWhole: true }
}

function linksOf(url: string, links: readonly string[], kinds: Uint8Array, wanted: WantedLinks) {
  const own = siteOf(url)
  const rows = new LinkRows(wanted)
  for (let i = 0; i < links.length; i++) rows.add(links[i], kinds[i], siteOf(links[i]) !== own)
  return rows.routed()
}

/** A row for a URL that was refused or failed without a response; its time was not recorded. */
export function rowWithoutResponse(found: Discovery, code: OutcomeCode, attempt: number): PageRow {
  const outcome = { code, detail: '', exchange: null, redirect: '' }
  return tableRow(rowOf(UNKNOWN_LANE, { ...found, attempt }, outcome, NO_CONTENT, 0))
}
