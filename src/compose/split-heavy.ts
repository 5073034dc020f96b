/**
 * `--split-sites auto`: sites that the previous crawl found heavier than a part are split before the first lease, between the
 * URLs that they had (all of them wait in its inbox), and each piece has a place of its own in the routing table. A run that dies on
 * the way finds in the ledger what it was about to do.
 */
import type { HeavySite, SiteSplit } from '../assign/cut-web.js'
import type { Ledger } from '../cluster/index.js'
import type { CrawlConfig } from '../config/index.js'
import { planSplit } from '../frontier/index.js'
import { rangeCell } from '../model/cell-map.js'
import { LIMITS } from '../model/limits.js'

/** Setting: splits that are under way. */
const SPLITS = 'seat.splits'
const BATCH_ROWS = 2_000
const WHOLE = { from: '', to: '' }

/** A site with a budget of its own is not split: its cells would count their pages each for itself. */
export function splitsHeavy({ splitSites, maxPagesPerSite }: CrawlConfig): boolean {
  return splitSites === 'auto' && maxPagesPerSite >= LIMITS.pagesPerSite
}

/** What a run before this one has begun; null where there was none. */
export async function begunSplits(ledger: Ledger): Promise<readonly SiteSplit[] | null> {
  const { [SPLITS]: text = '' } = await ledger.settings()
  return text === '' ? null : applySplits(ledger, JSON.parse(text) as SiteSplit[])
}

/** Those of the sites that can be split: they are. */
export async function splitHeavy(ledger: Ledger, heavy: readonly HeavySite[]): Promise<readonly SiteSplit[]> {
  const splits: SiteSplit[] = []
  for (const { site, pieces } of heavy) {
    const plan = await planSplit(() => urlsOf(ledger, site), WHOLE, pieces)
    if (plan === null) continue
    const cells = plan.map(({ queued, ...range }) => ({ cell: rangeCell(site, range), urls: queued }))
    splits.push({ site, cells })
  }
  if (splits.length === 0) return []
  await ledger.set({ [SPLITS]: JSON.stringify(splits) })
  return applySplits(ledger, splits)
}

/** The table is made: nobody has to know any more. */
export async function endSplits(ledger: Ledger): Promise<void> {
  if ((await ledger.settings())[SPLITS]) await ledger.set({ [SPLITS]: '' })
}

async function applySplits(ledger: Ledger, splits: readonly SiteSplit[]): Promise<SiteSplit[]> {
  const done: SiteSplit[] = []
  for (const split of splits) {
    // Nobody has had it yet. Its URLs are rows that move, none is known from a journal.
    const children = split.cells.map(({ cell }) => ({ cell, queued: 0 }))
    if (!(await ledger.split(split.site, 0, 0, children))) continue
    done.push(split)
    await ledger.estimate(split.cells.map(({ cell, urls }) => ({ cell, size: urls })))
  }
  return done
}

/** All URLs of the crawl before. */
async function* urlsOf(ledger: Ledger, site: string): AsyncGenerator<string> {
  for (let after = 0; ; ) {
    const rows = await ledger.readInbox(site, after, BATCH_ROWS)
    if (rows.length === 0) return
    for (const { url } of rows) yield url
    after = rows[rows.length - 1].position
  }
}
