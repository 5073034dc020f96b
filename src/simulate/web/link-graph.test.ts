import { describe, expect, it } from 'vitest'
import { linksOf, locate, siteLinks } from '../../../test/kit/planned-links.js'
import { namedAuthority } from './authority.js'
import { pagerank } from './link-graph.js'
import { WebPlan } from './web-plan.js'

/** The definition, over plain sets. */
function slowRank(plan: WebPlan, rounds: number): number[] {
  const authority = namedAuthority(plan, 80)
  const targets = Array.from({ length: plan.pages }, (_, id) => {
    const { site, page } = locate(plan, id)
    const links = linksOf(plan, site, page, authority)
    const pages = links.filter(link => link.kind === 'page' || link.kind === 'redirect')
    return new Set(pages.map(link => plan.idOf(link.site, link.page)).filter(to => to !== id))
  })
  let rank = targets.map(() => 1 / plan.pages)
  for (let round = 0; round < rounds; round++) {
    const next = targets.map(() => 0.15 / plan.pages)
    targets.forEach((set, id) => {
      const share = (0.85 * rank[id]) / (set.size || plan.pages)
      for (const to of set.size > 0 ? set : next.keys()) next[to] += share
    })
    rank = next
  }
  return rank
}

describe('pagerank', () => {
  it.each([
    { sites: 5, pages: 400, seed: 1 },
    { sites: 1, pages: 1, seed: 1 },
    { sites: 2, pages: 2, seed: 2 },
  ])('is what the definition says: $sites sites, $pages pages', options => {
    const plan = new WebPlan(options)
    const ranks = pagerank(plan)
    const slow = slowRank(plan, 100)
    for (let id = 0; id < plan.pages; id++) expect(ranks[id]).toBeCloseTo(slow[id], 9)
    expect(ranks.reduce((sum, rank) => sum + rank, 0)).toBeCloseTo(1, 9)
  })

  it('singles out few pages: the best is far above the mean', () => {
    const plan = new WebPlan({ sites: 10, pages: 5_000, seed: 3 })
    expect(Math.max(...pagerank(plan)) * plan.pages).toBeGreaterThan(20)
  })
})

describe('siteLinks', () => {
  it('counts every foreign link of a site, and reaches every site from the first', () => {
    const plan = new WebPlan({ sites: 25, pages: 500, seed: 5 })
    const authority = namedAuthority(plan, 80)
    const reached = new Set([0])
    for (const site of reached) {
      const links = siteLinks(plan, site)
      let foreign = 0
      for (let page = 0; page < plan.sizeOf(site); page++) {
        foreign += linksOf(plan, site, page, authority).filter(link => link.site !== site).length
      }
      expect([...links.values()].reduce((sum, count) => sum + count, 0)).toBe(foreign)
      for (const other of links.keys()) reached.add(other)
    }
    expect(reached.size).toBe(plan.sites)
  })
})
