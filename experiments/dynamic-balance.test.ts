import { describe, expect, it } from 'vitest'
import { simulateLanes } from '../test/kit/lane-simulation.js'
import { simulateCrawl } from './balance-crawl.js'
import {
  AGENTS,
  balanceOf,
  balanceWeb,
  LANES_PER_AGENT,
  METHODS,
  PAGES,
  sitesOf,
  startingOrder,
} from './dynamic-balance.js'
import { overSeeds } from './many-seeds.js'

describe('the web of the experiment', () => {
  it('has 30 sites and 98,585 pages, the largest site 10 to 14 % of them', () => {
    for (const seed of [1, 2, 3]) {
      const sizes = sitesOf(balanceWeb(seed, PAGES), 5).map(({ size }) => size)
      expect(sizes).toHaveLength(30)
      expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(98_585)
      expect(Math.max(...sizes) / 98_585).toBeGreaterThan(0.1)
      expect(Math.max(...sizes) / 98_585).toBeLessThan(0.14)
    }
  })

  it('is ordered by the time of the last download, or by the seed', () => {
    const sites = [3, 9, 5].map((downloadMs, site) => ({ site, size: 1, downloadMs }))
    expect(startingOrder(METHODS[3], sites, 1)).toEqual([1, 2, 0])
    const many = sitesOf(balanceWeb(1, PAGES), 5)
    expect(startingOrder(METHODS[2], many, 1)).not.toEqual(startingOrder(METHODS[2], many, 2))
    expect([...startingOrder(METHODS[2], many, 1)].sort((a, b) => a - b)).toEqual(
      many.map(({ site }) => site),
    )
  })
})

describe('workload', () => {
  it('is normalised, with the sample standard deviation of the paper', () => {
    const paper = METHODS[2]
    const { workload, stdevPercent } = balanceOf(paper, [17, 14, 20, 19, 16, 14])
    expect(workload.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1)
    // The paper's own row for Dynamic-Random, from shares rounded to two digits.
    expect(stdevPercent).toBeCloseTo(paper.paperPercent, 1)
  })
})

describe('four methods', () => {
  const run = { firstSeed: 1, seeds: 100, pages: PAGES, latencyMs: 5 }

  it('over lanes that only take time, 100 seeds: in the order of the paper, Dynamic-Size at most 0.82 %', async () => {
    const means = await overSeeds(run, simulateLanes)
    const stdevs = means.map(({ stdevPercent }) => stdevPercent)
    expect([...stdevs].sort((a, b) => b - a)).toEqual(stdevs)
    expect(stdevs[3]).toBeLessThanOrEqual(0.82)
    for (const { workload, seeds, leastPercent, mostPercent, stdevPercent } of means) {
      expect([workload.length, seeds]).toEqual([AGENTS * LANES_PER_AGENT, 100])
      expect(leastPercent).toBeLessThan(stdevPercent)
      expect(mostPercent).toBeGreaterThan(stdevPercent)
    }
  })

  it('with real agents in virtual time are what the lanes alone would give, and the same every time', async () => {
    const sites = sitesOf(balanceWeb(3, PAGES), 5)
    for (const method of METHODS) {
      const crawled = await simulateCrawl(method, sites, 3)
      // A lane is free a moment after its site is done, so now and then another one comes first.
      expect(Math.abs(crawled.stdevPercent - simulateLanes(method, sites, 3).stdevPercent)).toBeLessThan(0.5)
    }
    expect(await simulateCrawl(METHODS[3], sites, 3)).toEqual(await simulateCrawl(METHODS[3], sites, 3))
  })
})
