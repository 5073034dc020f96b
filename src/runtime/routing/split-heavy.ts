/**
 * `--split-sites auto`: splits sites that the previous crawl found heavier than a part, before the first
 * lease and between the pages that they had; each piece has a place of its own in the routing table. All URLs
 * of the previous crawl wait in their inboxes; those that were pages have meta-info. The plan of splits is in
 * the ledger, so that the next run completes the splits of a run that died.
 */

import type { CrawlConfig } from '../../config/index.js'
import type { Ledger } from '../../ledger/index.js'
import { LIMITS, rangeCell } from '../../model/index.js'
import { planSplit, sampleOf } from '../../page/frontier/index.js'
import type { HeavySite, SiteSplit } from '../../plan/assign/learned/index.js'
import { SPLIT_HEAVY_BATCH_PAGES, SPLIT_HEAVY_BATCH_ROWS } from '../limits.js'

/** Setting: splits that are under way. */
const SPLITS = 'seat.splits'
const WHOLE = { from: '', to: '' }

/** A site with a page limit is not split: each of its cells would count its pages separately. */
export function splitsHeavy({ splitSites, maxPagesPerSite }: CrawlConfig): boolean {
  return splitSites === 'auto' && maxPagesPerSite >= LIMITS.pagesPerSite
}

/** Splits that an earlier run has begun, completed; null where there are none. */
export async function begunSplits(ledger: Ledger): Promise<readonly SiteSplit[] | null> {
  const { [SPLITS]: text = '' } = await ledger.settings()
  return text === '' ? null : applySplits(ledger, JSON.parse(text) as SiteSplit[])
}

/** Splits those of the sites that can be split. */
export async function splitHeavy(ledger: Ledger, heavy: readonly HeavySite[]): Promise<readonly SiteSplit[]> {
  const splits: SiteSplit[] = []
  for (const { site, pages, pieces } of heavy) {
    const sample = await pagesOf(ledger, site, await sampleOf(urlsOf(ledger, site)))
    const plan = await planSplit(() => sample, WHOLE, pieces)
    if (plan === null) continue
    const cells = plan.map(({ queued, ...range }) => ({
      cell: rangeCell(site, range),
      pages: (pages * queued) / sample.length,
    }))
    splits.push({ site, cells })
  }
  if (splits.length === 0) return []
  await ledger.set({ [SPLITS]: JSON.stringify(splits) })
  return applySplits(ledger, splits)
}

/** The table is made: splits need not be completed any more. */
export async function endSplits(ledger: Ledger): Promise<void> {
  if ((await ledger.settings())[SPLITS]) await ledger.set({ [SPLITS]: '' })
}

async function applySplits(ledger: Ledger, splits: readonly SiteSplit[]): Promise<SiteSplit[]> {
  const done: SiteSplit[] = []
  for (const split of splits) {
    // No agent has had the cell yet: its URLs are inbox rows, and none is known from a journal.
    const children = split.cells.map(({ cell }) => ({ cell, queued: 0 }))
    if (!(await ledger.split(split.site, 0, 0, children))) continue
    done.push(split)
    await ledger.estimate(split.cells.map(({ cell, pages }) => ({ cell, size: pages })))
  }
  return done
}

/**
 * URLs that were no pages, such as redirects, have no weight. If none has meta-info, all count.
 */
async function pagesOf(ledger: Ledger, site: string, urls: readonly string[]): Promise<readonly string[]> {
  const pages: string[] = []
  for (let from = 0; from < urls.length; from += SPLIT_HEAVY_BATCH_PAGES) {
    const batch = urls.slice(from, from + SPLIT_HEAVY_BATCH_PAGES)
    const known = await ledger.loadMeta(site, batch)
    for (const url of batch) if (known.has(url)) pages.push(url)
  }
  return pages.length > 0 ? pages : urls
}

/** All URLs of the previous crawl. */
async function* urlsOf(ledger: Ledger, site: string): AsyncGenerator<string> {
  for (let after = 0; ; ) {
    const rows = await ledger.readInbox(site, after, SPLIT_HEAVY_BATCH_ROWS)
    if (rows.length === 0) return
    for (const { url } of rows) yield url
    after = rows[rows.length - 1].position
  }
}
