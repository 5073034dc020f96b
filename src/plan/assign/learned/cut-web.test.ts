import { describe, expect, it } from 'vitest'
import { cutWeb, heavySitesOf, isPiece, type SiteSplit } from './cut-web.js'
import type { LearnedWeb } from './learned-web.js'
import { planGraph } from './plan-graph.js'
import { planRouting, type RoutingPlan } from './plan-routing.js'

const SMALL_SITES = 80
const K = 4
const SHARES = new Array<number>(K).fill(1)
const REQUEST = { shares: SHARES, grouping: 'domain', seed: 1 } as const

/**
 * The first site has 60 % of all pages, and all of them one address. Pages of each link to the next two
 * sites.
 */
const web: LearnedWeb = {
  sites: Array.from({ length: 1 + SMALL_SITES }, (_, i) => ({
    site: `s${i}.test`,
    pages: i === 0 ? 1_200 : 10,
    bytes: i === 0 ? 1_200_000 : 9_000 + 50 * i,
    fetchMs: 100,
    checked: 0,
    changed: 0,
    addresses: ['192.0.2.1'],
    connectMs: {},
  })),
  netOffsets: Uint32Array.from({ length: 2 + SMALL_SITES }, (_, net) => 3 * net),
  pins: Uint32Array.from(
    { length: 3 * (1 + SMALL_SITES) },
    (_, at) => (Math.floor(at / 3) + (at % 3)) % (1 + SMALL_SITES),
  ),
  counts: new Float64Array(1 + SMALL_SITES).fill(10),
}

function splitInto(pieces: number): SiteSplit {
  return {
    site: 's0.test',
    cells: Array.from({ length: pieces }, (_, i) => ({
      cell: `s0.test#${i === 0 ? '' : `/${i + 100}`}#${i + 1 === pieces ? '' : `/${i + 101}`}`,
      pages: 100,
    })),
  }
}

function planned(plan: RoutingPlan | string): RoutingPlan {
  if (typeof plan === 'string') throw new Error(plan)
  return plan
}

describe('a site that is heavier than a part', () => {
  it('is found by either weight, and cut into pieces of about a quarter of a part', () => {
    expect(heavySitesOf(web.sites, SHARES)).toEqual([{ site: 's0.test', pages: 1_200, pieces: 10 }])
    expect(heavySitesOf(web.sites, [3, 1])).toEqual([])
    const fat = web.sites.map((site, i) => (i === 5 ? { ...site, pages: 120, bytes: 2_000_000 } : site))
    expect(heavySitesOf(fat, SHARES).map(({ site }) => site)).toEqual(['s0.test', 's5.test'])
    // A handful of pages is nothing to share, however little there is besides.
    const few = web.sites.slice(0, 2).map(site => ({ ...site, pages: 60 }))
    expect(heavySitesOf(few, SHARES)).toEqual([])
  })

  it('loses no page, byte or link when it is cut', () => {
    const cut = cutWeb(web, [splitInto(10)])
    const sum = (values: Iterable<number>) => [...values].reduce((total, value) => total + value, 0)
    for (const what of ['pages', 'bytes', 'fetchMs'] as const)
      expect(sum(cut.sites.map(site => site[what]))).toBeCloseTo(sum(web.sites.map(site => site[what])), 3)
    expect(cut.sites.filter(({ site }) => isPiece(site))).toHaveLength(10)
    // Beside a net of each piece with the others, for links between its pages.
    const between = 1_200
    expect(sum(cut.counts)).toBeCloseTo(sum(web.counts) + between, 6)
  })

  it('whole, leaves the parts far from balanced; cut, both weights are within 5 %, and each piece has its place', () => {
    const whole = planned(planRouting(web, REQUEST))
    expect(Math.max(...whole.imbalance)).toBeGreaterThan(1)
    const split = splitInto(10)
    for (const plan of [
      planned(planRouting(cutWeb(web, [split]), REQUEST)),
      planned(planGraph(cutWeb(web, [split]), graphRequest())),
    ]) {
      const parts = new Array<number>(K).fill(0)
      for (const { site, pages } of cutWeb(web, [split]).sites) parts[plan.table.partOf(site)] += pages
      expect(Math.max(...parts) / (2_000 / K) - 1).toBeLessThanOrEqual(0.05 + 1e-9)
      expect(plan.heavySites).toEqual([])
      for (const { cell } of split.cells) expect(plan.table.partOf(cell)).toBeGreaterThanOrEqual(0)
    }
  })

  it('is shared by as few agents as can hold it, and no message between its pieces is forgotten', () => {
    const split = splitInto(10)
    const plan = planned(planRouting(cutWeb(web, [split]), REQUEST))
    expect(new Set(split.cells.map(({ cell }) => plan.table.partOf(cell))).size).toBe(3)
    // Every page of it may have links to the two other agents that share it.
    expect(plan.predicted.messages).toBeGreaterThanOrEqual(2 * 1_200)
  })
})

function graphRequest() {
  return {
    ...REQUEST,
    agents: SHARES.map((_, i) => `agent-${i + 1}`),
    vertices: 'address' as const,
    weights: { links: 1, rtt: 0, change: 0, similarity: 0, geography: 0 },
  }
}
