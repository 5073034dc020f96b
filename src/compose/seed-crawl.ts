/** Seeds, settings and the previous crawl go into the ledger once; a run that died on the way does it again. */
import type { Ledger } from '../cluster/index.js'
import type { CrawlConfig } from '../config/index.js'
import { cellOf, groupOf } from '../model/cell.js'
import { sitemapMark } from '../model/mark.js'
import { siteOf } from '../model/url.js'
import { initialSettings } from './live-settings.js'
import type { Log } from './log.js'

export async function seedCrawl(config: CrawlConfig, ledger: Ledger, log: Log): Promise<void> {
  const settings = await ledger.settings()
  if (settings.seeded === 'true') return
  await ledger.set(initialSettings(config))
  if (config.previous !== undefined) {
    // Loaded only here: it brings DuckDB along.
    const { importPrevious } = await import('./recrawl.js')
    await importPrevious(config.previous, ledger, config.group, log)
  }
  const sitemaps = config.sitemap.filter(entry => entry !== 'robots' && entry !== 'none').map(sitemapMark)
  await ledger.append(
    [...config.seeds, ...sitemaps].map(url => ({
      cell: cellOf(url),
      group: groupOf(siteOf(url), config.group),
      rows: [{ url, depth: 0, hops: 0, score: 1, via: '' }],
    })),
  )
  await ledger.set({ seeded: 'true' })
}
