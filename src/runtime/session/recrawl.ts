/**
 * `--previous DIR`: every URL that the previous crawl saw, whatever its outcome, becomes an inbox row before
 * its cell's first lease; what the tables know of its page (ETag, Last-Modified, digest, links, and the rest
 * of its row) becomes its meta-info (D6).
 */

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { asDamage } from '../../cluster/agent/cells/index.js'
import type { CrawlConfig } from '../../config/index.js'
import { type PreviousPage, previousFacts, previousPages } from '../../data/query/index.js'
import { packFacts } from '../../data/store/tables/index.js'
import { type Append, cellBatches, type Ledger, siteSummaries } from '../../ledger/index.js'
import { LEDGER_FILE } from '../../ledger/sqlite/index.js'
import {
  type CellId,
  type CellMap,
  cellOf,
  type Discovery,
  filedUnder,
  type Grouping,
  groupBy,
  inBatches,
  siteOfCell,
} from '../../model/index.js'
import { normaliseEscapes } from '../../model/url/index.js'
import { isWantedType } from '../../page/fetch/http/index.js'
import { readDiscoveries } from '../../page/frontier/index.js'
import { readLedger } from '../access/index.js'
import type { Log } from '../directory/index.js'
import { readCrawlFile } from '../directory/index.js'
import { RECRAWL_BATCH_ROWS, RECRAWL_FACT_ROWS, RECRAWL_JOURNAL_BYTES } from '../limits.js'

import type { Platform } from '../platform/index.js'

/** The new crawl, and how sites are divided into cells there. */
interface Target {
  readonly ledger: Ledger
  readonly grouping: Grouping
  readonly cells: CellMap
}

/** The crawl to begin from. */
interface Previous {
  readonly directory: string
  /** `--trust` was given; otherwise the remembered trust decides. */
  readonly isTrusted: boolean
}

export async function importPrevious(
  platform: Platform,
  previous: Previous,
  target: Target,
  config: CrawlConfig,
  log: Log,
): Promise<void> {
  const { directory } = previous
  const { ledger } = target
  const other = otherLinks(readCrawlFile(directory).config, config)
  const urls = await importUrls(platform, previous, target)
  const archives = config.archive !== 'none'
  const isWanted = ({ mime }: PreviousPage) => config.types.length === 0 || isWantedType(mime, config.types)
  const mayKeep = (page: PreviousPage) =>
    other.length === 0 && (!archives || page.storedAt !== '') && isWanted(page)
  const pages = await importMeta(directory, ledger, mayKeep)
  await importFacts(directory, ledger)
  log.info('previous crawl', { directory, urls, pages, ...(other.length > 0 ? { readsAllFor: other } : {}) })
}

/** Settings that decide which links of a page are followed, and what is kept of it. */
const LINK_SETTINGS = [
  'scope',
  'include',
  'exclude',
  'links',
  'assets',
  'guest',
  'trusted',
  'keywords',
  'minKeywords',
  'keep',
] as const

/** Settings by which this crawl may want links that the previous one did not keep: a 304 has no links. */
function otherLinks(previous: CrawlConfig, config: CrawlConfig): string[] {
  const other = LINK_SETTINGS.filter(name => JSON.stringify(previous[name]) !== JSON.stringify(config[name]))
  const seeds = previous.seeds.map(normaliseEscapes)
  const hasNewSeed = config.scope !== 'any' && config.seeds.some(seed => !seeds.includes(seed))
  return hasNewSeed ? [...other, 'seeds'] : other
}

/** The previous ledger knows every URL, also those that were still queued when the crawl ended. */
async function importUrls(
  platform: Platform,
  { directory, isTrusted }: Previous,
  target: Target,
): Promise<number> {
  const { config } = readCrawlFile(directory)
  if (config.ledger === undefined && !existsSync(join(directory, LEDGER_FILE))) return 0
  return readLedger(platform, directory, isTrusted, async previous => {
    let urls = 0
    for await (const cells of cellBatches(previous))
      for (const { cell } of cells) urls += await importCell(previous, target, cell)
    await estimateSites(previous, target.ledger)
    return urls
  })
}

/** The size of a site in the previous crawl is its estimate now (D12). */
async function estimateSites(previous: Ledger, ledger: Ledger): Promise<void> {
  for await (const sites of inBatches(siteSummaries(previous), RECRAWL_BATCH_ROWS))
    await ledger.estimate(sites.map(({ cell, settled }) => ({ cell, size: settled })))
}

async function importCell(previous: Ledger, target: Target, cell: CellId): Promise<number> {
  let rows: Discovery[] = []
  let urls = 0
  const take = (row: Discovery) => rows.push({ ...row, url: normaliseEscapes(row.url) })
  const flush = async () => {
    if (rows.length === 0) return
    await target.ledger.append(appendsOf(rows, target))
    urls += rows.length
    rows = []
  }
  for (let from = 1; ; ) {
    const batch = await ownJournals(previous, cell, from)
    if (batch.length === 0) break
    for (const { journal } of batch) {
      try {
        readDiscoveries(journal, take)
      } catch (error) {
        throw asDamage(cell, error)
      }
      if (rows.length >= RECRAWL_BATCH_ROWS) await flush()
    }
    from = batch[batch.length - 1].number + 1
  }
  for (let after = 0; ; ) {
    const unread = await previous.readInbox(cell, after, RECRAWL_BATCH_ROWS)
    if (unread.length === 0) break
    unread.forEach(take)
    await flush()
    after = unread[unread.length - 1].position
  }
  await flush()
  return urls
}

/** A site may have other cells than in the previous crawl. */
function appendsOf(rows: readonly Discovery[], { cells, grouping }: Target): Append[] {
  const byCell = groupBy(rows, ({ url }) => cells.cellOf(url))
  return [...byCell].map(([cell, found]) => ({ cell, group: filedUnder(cell, grouping), rows: found }))
}

/** Without the journals of the cells that it was split from: these are read with their cells. */
async function ownJournals(previous: Ledger, cell: CellId, from: number) {
  if (siteOfCell(cell) === cell) return previous.readJournal(cell, from, RECRAWL_JOURNAL_BYTES)
  const batch = await previous.readJournals({ cell, number: from - 1 }, RECRAWL_JOURNAL_BYTES)
  return batch.filter(part => part.cell === cell)
}

/**
 * A page gets no validators, and is requested unconditionally, if a 304 would not be enough: if its links are
 * needed, if no archive has its body, or if this crawl does not want its type.
 */
async function importMeta(
  directory: string,
  ledger: Ledger,
  mayKeep: (page: PreviousPage) => boolean,
): Promise<number> {
  let imported = 0
  for await (const pages of inBatches(previousPages(directory), RECRAWL_BATCH_ROWS)) {
    // If a URL has another spelling now: a revisit record must name the stored one, so it is fetched again.
    const usable = pages.filter(({ isWhole, url }) => isWhole && normaliseEscapes(url) === url)
    const rows = usable.map(page => {
      const { url, digest, storedAt, links } = page
      const [etag, lastModified] = mayKeep(page) ? [page.etag, page.lastModified] : ['', '']
      return { cell: cellOf(url), url, meta: { etag, lastModified, digest, storedAt, links } }
    })
    await ledger.saveMeta(rows)
    imported += rows.length
  }
  return imported
}

/** The row of a page that answers 304 has the title and text of the previous crawl. */
async function importFacts(directory: string, ledger: Ledger): Promise<void> {
  for await (const pages of inBatches(previousFacts(directory), RECRAWL_FACT_ROWS))
    await ledger.saveFacts(
      pages.map(({ url, digest, facts }) => ({ cell: cellOf(url), url, digest, facts: packFacts(facts) })),
    )
}
