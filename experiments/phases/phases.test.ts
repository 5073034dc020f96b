import { describe, expect, it } from 'vitest'
import { SeededRandom } from '../../src/model/index.js'
import { mean } from '../frame/index.js'
import { balanceOf, inReversedOrder, reversed } from './balance.js'
import { exclusionIn } from './exclusion.js'
import { type PhaseCrawl, phasesExperiment } from './experiment.js'
import { madeHosts } from './made-urls.js'

describe('experiment phases', () => {
  it('makes as many URLs as it is asked for, on hosts by a power law', () => {
    const hosts = madeHosts(50_000, new SeededRandom(1))
    expect(hosts.reduce((sum, { urls }) => sum + urls, 0)).toBe(50_000)
    expect(hosts[0]!.urls).toBeGreaterThan(20 * hosts[hosts.length >> 1]!.urls)
    expect(reversed('www.moe.go.th')).toBe('th.go.moe.www')
    const keys = inReversedOrder(hosts).map(({ name }) => reversed(name))
    expect(keys).toEqual([...keys].sort())
  })

  it('finds nodes by URL even, phases by host less so, an unshuffle even to the URL, as the paper says (K10, K12)', () => {
    const rows = balanceOf(100_000, new SeededRandom(2))
    expect(rows.map(({ nodes }) => nodes)).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10])
    for (const row of rows) {
      expect(row.urlHash).toBeLessThan(4)
      expect(row.unshuffle).toBeLessThan(0.1)
      expect(row.sharedByUrl).toBeGreaterThan(0.9)
    }
    expect(mean(rows.map(row => row.phases))).toBeGreaterThan(3 * mean(rows.map(row => row.urlHash)))
  })

  it('reads from a log that two nodes were at one host, also when one of them was done with another page long ago', () => {
    const at = (from: string, site: string, startMs: number, endMs: number) => ({
      from,
      site,
      startMs,
      endMs,
    })
    const apart = [at('a', 'x', 0, 10), at('b', 'x', 15, 20), at('b', 'y', 5, 8), at('a', 'x', 30, 31)]
    expect(exclusionIn(apart)).toEqual({ requests: 4, hosts: 2, handOvers: 2, together: 0, leastGapMs: 5 })
    const slow = [at('a', 'x', 0, 50), at('a', 'x', 1, 2), at('b', 'x', 40, 41)]
    expect(exclusionIn(slow)).toMatchObject({ together: 1, leastGapMs: -10 })
    expect(exclusionIn([])).toMatchObject({ requests: 0, leastGapMs: null })
  })

  it('says so when a crawl did not keep nodes apart, or gave up pages', async () => {
    const crawl = async ({ skewMs }: { readonly skewMs: number }): Promise<PhaseCrawl> => ({
      ...{
        skewMs,
        pages: 10,
        coverage: skewMs > 0 ? 1 : 0.8,
        outcomes: { OK: 8, HEADERS_TOO_SLOW: 2 },
        seconds: 1,
        pagesPerSecond: 10,
        megabytesPerSecond: 1,
        messages: 0,
      },
      ...{ imbalance: 0, requests: 10, hosts: 1, handOvers: 2, together: skewMs > 0 ? 1 : 0, leastGapMs: -1 },
    })
    const { missed, averages } = await phasesExperiment(crawl).run({
      effort: 'quick',
      seed: 3,
      tell: () => {},
    })
    expect(missed).toEqual([
      'clocks wrong by 0 ms: 80.00 % of the pages, not all (8 OK, 2 HEADERS_TOO_SLOW)',
      'clocks wrong by 99 ms: 1 requests met another node at their host',
    ])
    expect(averages).toMatchObject({ pagesPerSecond: 10, twoNodesAtOnce: 1 })
  })
})
