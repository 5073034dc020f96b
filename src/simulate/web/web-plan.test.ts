import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { linksOf, locate } from '../../../test/kit/planned-links.js'
import { registrableDomain } from '../../model/url/index.js'
import { addressAuthority, loopbackAddress, namedAuthority, siteOfHost } from './authority.js'
import { WebPlan } from './web-plan.js'

function sizesOf(plan: WebPlan): number[] {
  return Array.from({ length: plan.sites }, (_, site) => plan.sizeOf(site))
}

describe('site sizes', () => {
  it('sum to the pages asked for, and every site has one at least', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 400 }), fc.nat(20_000), fc.nat(), (sites, extra, seed) => {
        const sizes = sizesOf(new WebPlan({ sites, pages: sites + extra, seed }))
        expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(sites + extra)
        expect(Math.min(...sizes)).toBeGreaterThanOrEqual(1)
      }),
    )
  })

  it('follow a power law whose largest site has the share asked for', () => {
    for (let seed = 0; seed < 20; seed++) {
      const sizes = sizesOf(new WebPlan({ sites: 30, pages: 98_585, seed })).sort((a, b) => b - a)
      expect(sizes[0] / 98_585).toBeCloseTo(0.12, 3)
      expect(sizes[0] / sizes[29]).toBeGreaterThan(5)
    }
    const few = sizesOf(new WebPlan({ sites: 2, pages: 1_000, seed: 1, largestShare: 0.9 }))
    expect(Math.max(...few)).toBe(900)
  })

  it('are dealt differently by each seed, and can be given', () => {
    const options = { sites: 40, pages: 20_000 }
    expect(sizesOf(new WebPlan({ ...options, seed: 1 }))).toEqual(
      sizesOf(new WebPlan({ ...options, seed: 1 })),
    )
    expect(sizesOf(new WebPlan({ ...options, seed: 1 }))).not.toEqual(
      sizesOf(new WebPlan({ ...options, seed: 2 })),
    )
    expect(sizesOf(new WebPlan({ sites: 3, pages: 60, seed: 1, sizes: [10, 20, 30] }))).toEqual([10, 20, 30])
  })

  it('a million sites are planned without being listed', () => {
    const plan = new WebPlan({ sites: 1_000_000, pages: 5_000_000, seed: 1 })
    expect(plan.nameOf(999_999)).toBe('s999999.test')
    const { site, page } = locate(plan, 4_321_987)
    expect(plan.idOf(site, page)).toBe(4_321_987)
    expect(linksOf(plan, site, page, namedAuthority(plan, 80)).length).toBeGreaterThan(30)
  })
})

describe('names', () => {
  const plan = new WebPlan({ sites: 300, pages: 300, seed: 1 })

  it('are registrable domains of their own', () => {
    expect(plan.nameOf(7)).toBe('s007.test')
    expect(registrableDomain(`${plan.nameOf(7)}:8080`)).toBe('s007.test')
    expect(new WebPlan({ sites: 3, pages: 3, seed: 1 }).nameOf(0)).toBe('s00.test')
  })

  it('and addresses lead back to their site, others to none', () => {
    for (let site = 0; site < plan.sites; site++) {
      expect(siteOfHost(plan, namedAuthority(plan, 8080)(site).toUpperCase())).toBe(site)
      expect(siteOfHost(plan, addressAuthority(80)(site))).toBe(site)
    }
    expect(new Set(Array.from({ length: 100_000 }, (_, site) => loopbackAddress(site))).size).toBe(100_000)
    const strangers = [
      '',
      's7.test',
      's300.test',
      's007.tes',
      's1e1.test',
      'x007.test',
      '127.0.0.1',
      '127.0.1',
      ':80',
    ]
    for (const host of strangers) expect(siteOfHost(plan, host), host).toBe(-1)
  })
})

describe('reachability', () => {
  it.each([
    { sites: 50, pages: 3_000, seed: 1 },
    { sites: 200, pages: 200, seed: 2 },
    { sites: 1, pages: 800, seed: 3 },
  ])('rests on two trees of plain links: $sites sites, $pages pages', options => {
    const plan = new WebPlan(options)
    const links = plan.newOutLinks()
    const reached = new Set([0])
    for (const id of reached) {
      const { site, page } = locate(plan, id)
      plan.outlinks(site, page, links)
      for (let i = 0; i < links.count; i++) {
        const isPage = links.target[i] === 0 && links.backbone[i] === 1
        if (isPage) reached.add(plan.idOf(links.site[i], links.number[i]))
      }
    }
    expect(reached.size).toBe(plan.pages)
  })
})

describe('paths', () => {
  const plan = new WebPlan({ sites: 4, pages: 4_000, seed: 3 })

  it('are distinct within a site, and read back to their page', () => {
    for (let site = 0; site < plan.sites; site++) {
      const paths = new Set<string>()
      const folders = new Set<string>()
      for (let page = 0; page < plan.sizeOf(site); page++) {
        const path = plan.pathOf(site, page)
        paths.add(path)
        folders.add(path.split('/')[1])
        if (page % 32 > 1) expect(path.split('/')[1]).toBe(plan.pathOf(site, page - 1).split('/')[1])
        expect(plan.placeOf(site, path)).toEqual({ is: 'page', number: page })
      }
      expect(paths.size).toBe(plan.sizeOf(site))
      expect(folders.size).toBeGreaterThan(5)
    }
  })

  it('that nothing leads to are strays or decoys', () => {
    const beyond = plan.pathOf(0, plan.sizeOf(0))
    const strays = [
      beyond,
      '/x',
      '/go/0',
      `/go/${plan.sizeOf(0)}`,
      '/files/doc-99999.txt',
      '/private/9999.html',
    ]
    for (const path of [
      ...strays,
      '/gone/01.html',
      '/assets/none.css',
      '/sitemap-0.xml',
      '/?',
      '//',
      '/%00',
    ]) {
      expect(plan.placeOf(0, path), path).toEqual({ is: 'stray' })
    }
    expect(plan.placeOf(0, '/news/decoy/1.html')).toEqual({ is: 'decoy' })
  })

  it('of any kind never throw', () => {
    fc.assert(fc.property(fc.string(), text => void plan.placeOf(0, `/${text}`)))
  })
})

describe('links', () => {
  const plan = new WebPlan({ sites: 60, pages: 12_000, seed: 4, topics: 6 })
  const authority = namedAuthority(plan, 8080)
  const tally = { links: 0, foreign: 0, sameTopic: 0, gone: 0, redirects: 0, near: 0 }
  const inLinks = new Float64Array(plan.pages)
  for (let id = 0; id < plan.pages; id++) {
    const { site, page } = locate(plan, id)
    for (const link of linksOf(plan, site, page, authority)) {
      tally.links++
      if (link.kind === 'gone') tally.gone++
      if (link.kind === 'redirect') tally.redirects++
      if (link.kind === 'page' && link.site === site && Math.abs(link.page - page) <= 15) tally.near++
      if (link.kind === 'page' || link.kind === 'redirect') inLinks[plan.idOf(link.site, link.page)]++
      if (link.site === site) continue
      tally.foreign++
      if (plan.topicOf(link.site) === plan.topicOf(site)) tally.sameTopic++
    }
  }

  it('are about forty a page, 12 % of them foreign', () => {
    expect(tally.links / plan.pages).toBeGreaterThan(39)
    expect(tally.links / plan.pages).toBeLessThan(41)
    expect(tally.foreign / tally.links).toBeGreaterThan(0.117)
    expect(tally.foreign / tally.links).toBeLessThan(0.123)
  })

  it('stay mostly within a topic and near their page', () => {
    expect(tally.sameTopic / tally.foreign).toBeGreaterThan(0.6)
    expect(tally.near / tally.links).toBeGreaterThan(0.35)
  })

  it('lead to 404s in one of a hundred cases, and to redirects now and then', () => {
    expect(tally.gone / tally.links).toBeGreaterThan(0.008)
    expect(tally.gone / tally.links).toBeLessThan(0.012)
    expect(tally.redirects / tally.links).toBeGreaterThan(0.01)
  })

  it('favour popular pages: a tenth of them gets over a third of all links', () => {
    const sorted = Float64Array.from(inLinks).sort().reverse()
    const top = sorted.slice(0, plan.pages / 10).reduce((sum, count) => sum + count, 0)
    expect(top / tally.links).toBeGreaterThan(0.35)
    expect(sorted[plan.pages - 1]).toBeGreaterThan(0)
  })

  it('can be more or fewer, with another foreign share', () => {
    const sparse = new WebPlan({ sites: 10, pages: 2_000, seed: 1, linksPerPage: 25, foreignShare: 0.3 })
    let links = 0
    let foreign = 0
    for (let id = 0; id < sparse.pages; id++) {
      const { site, page } = locate(sparse, id)
      const planned = linksOf(sparse, site, page, authority)
      links += planned.length
      foreign += planned.filter(link => link.site !== site).length
    }
    expect(links / sparse.pages).toBeCloseTo(25, 0)
    expect(foreign / links).toBeCloseTo(0.3, 1)
  })
})

describe('nonsense', () => {
  const good = { sites: 2, pages: 10, seed: 1 }
  const bad = [
    { sites: 0 },
    { pages: 1 },
    { seed: 0.5 },
    { linksPerPage: 3 },
    { foreignShare: 2 },
    { sizes: [1, 2] },
    { topics: 0 },
  ]
  it.each(bad)('is refused: %j', wrong => {
    expect(() => new WebPlan({ ...good, ...wrong })).toThrow(RangeError)
  })
})
