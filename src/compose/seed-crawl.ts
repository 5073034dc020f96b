/**
 * Seeds, settings and the previous crawl go into the ledger once; a run that died on the way does it again.
 */

import type { CrawlConfig } from '../config/index.js'
import type { Ledger } from '../ledger/index.js'
import { filedUnder, sitemapMark } from '../model/index.js'
import { readPlan } from '../page/politeness/phases/index.js'
import { initialSettings } from '../runtime/index.js'
import type { Log } from './log.js'
import { cellsOf, planOf, planSetting } from './phase-plan.js'
import { systemClock as clock } from './system-clock.js'

/** `trustsPrevious`: the user has just said `--trust`. */
export async function seedCrawl(
  config: CrawlConfig,
  ledger: Ledger,
  log: Log,
  trustsPrevious: boolean,
): Promise<void> {
  const settings = await ledger.settings()
  if (settings.seeded === 'true') return
  // A run that died here has made it already: cells are named by it.
  const plan = readPlan(settings) ?? planOf(config, clock.now())
  const cells = cellsOf(plan)
  await ledger.set({ ...initialSettings(config), ...planSetting(plan) })
  if (config.previous !== undefined) {
    // Loaded only here: it brings DuckDB along.
    const { importPrevious } = await import('./recrawl.js')
    const { previous: directory, group: grouping } = config
    await importPrevious({ directory, isTrusted: trustsPrevious }, { ledger, grouping, cells }, config, log)
  }
  const sitemaps = config.sitemap.filter(entry => entry !== 'robots' && entry !== 'none').map(sitemapMark)
  await ledger.append(
    [...config.seeds, ...sitemaps].map(url => ({
      cell: cells.cellOf(url),
      group: filedUnder(cells.cellOf(url), config.group),
      rows: [{ url, depth: 0, hops: 0, score: 1, via: '' }],
    })),
  )
  await ledger.set({ seeded: 'true' })
}
