import { expect, it } from 'vitest'
import type { CrawlConfig } from '../../config/index.js'
import type { Report } from '../../report/index.js'
import { summaryOf } from './summary.js'

it('says of an interrupted recrawl that it is compared later', () => {
  const report = {
    ...{
      finishReason: 'stopped',
      pages: 1,
      sites: 1,
      seconds: 0,
      bytes: 0,
      queued: 0,
      outcomes: {},
      recrawl: null,
    },
    ...{ troubledSites: [], setAside: [], parkedSites: 0, endedAt: new Date(0).toISOString(), damaged: [] },
    robots: { mode: 'strict', refused: 0, refusedSites: [] },
  } as unknown as Report
  const summary = (part: Partial<CrawlConfig>) =>
    summaryOf(report, 'out', { tables: 'parquet', ...part } as CrawlConfig)
  expect(summary({ previous: 'before' })).toContain(
    'Since before: the comparison follows when the crawl is done\n',
  )
  expect(summary({})).not.toContain('Since')
})
