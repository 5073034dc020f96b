import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { CrawlConfig } from '../../config/index.js'
import type { Report } from '../../report/index.js'
import { number, summaryOf } from './summary.js'

it('shows numbers as toLocaleString does', () => {
  const decimals = fc.integer({ min: 0, max: 1e12 }).map(thousandths => thousandths / 1_000)
  fc.assert(
    fc.property(fc.oneof(fc.maxSafeNat(), decimals), value => {
      expect(number(value)).toBe(value.toLocaleString('en-US'))
    }),
  )
  expect([0, 999, 1_000, 12_345_678, -1_234].map(number)).toEqual([
    '0',
    '999',
    '1,000',
    '12,345,678',
    '-1,234',
  ])
})

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
