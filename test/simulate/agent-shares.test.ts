/** How the sites of a crawl are shared among its agents, by the real agents and the real coordinator. */
import { describe, expect, it } from 'vitest'
import { type SimulationOptions, simulate, smallRun } from '../../src/simulate/index.js'

type Web = NonNullable<SimulationOptions['web']>

/** Sites of the same size, all of them seeds. The home page links to all others. */
function equalSites(sites: number, pages: number): Web {
  const hosts = Array.from({ length: sites }, (_, i) => `s${i}.site${i}.test`)
  const home = Array.from({ length: pages - 1 }, (_, i) => `<a href="/${i + 1}">x</a>`).join('')
  return {
    pages: sites * pages,
    seeds: hosts.map(host => `http://${host}/`),
    siteOf: host => hosts.indexOf(host),
    crawlDelayMs: () => 0,
    latencyMs: () => 50,
    isForbidden: () => false,
    answer: url => {
      const { pathname } = new URL(url)
      if (pathname === '/robots.txt') return { status: 404, body: '' }
      return { status: 200, body: pathname === '/' ? home : '' }
    },
    *truth() {
      for (const host of hosts)
        for (let page = 0; page < pages; page++) yield [`http://${host}/${page === 0 ? '' : page}`, 'OK']
    },
  }
}

async function crawl(sites: number, pages: number, over: Partial<SimulationOptions>) {
  const web = equalSites(sites, pages)
  const usual = { sites, pages: sites * pages, web, lanes: 1_000, assign: 'dynamic', delayMs: 200 } as const
  const options = { ...smallRun(7), splitSites: undefined, repartition: 0, ...usual, faults: [], ...over }
  const { violations, agentWork } = await simulate(options as SimulationOptions)
  expect(violations).toEqual([])
  return agentWork.map(({ pages }) => pages)
}

/** The largest distance from an equal share, in parts of it. */
function unevenness(shares: readonly number[], agents: number): number {
  const equal = shares.reduce((sum, share) => sum + share, 0) / agents
  const all = Array.from({ length: agents }, (_, i) => shares[i] ?? 0)
  return Math.max(...all.map(share => Math.abs(share - equal) / equal))
}

describe.each([2, 4, 8])('%i agents with more lanes than there are sites', agents => {
  it.each([8, 40, 400])('crawl an equal share of %i seed sites each', async seeds => {
    const shares = await crawl(seeds, 12, { agents, seed: seeds + agents })
    expect(unevenness(shares, agents), shares.join(' ')).toBeLessThan(0.1)
  })

  it('do so also when each of them starts two seconds after the last', async () => {
    const shares = await crawl(40, 12, { agents, startEveryMs: 2_000 })
    expect(unevenness(shares, agents), shares.join(' ')).toBeLessThan(0.1)
  })
})

describe.each([2, 4, 8])('%i agents with fewer lanes than there are sites', agents => {
  it.each([1.25, 2.5, 7])('crawl an equal share of %f times as many sites each', async times => {
    const lanes = 20
    // Sites take longer than some heartbeats, which tell what is left of them.
    const shares = await crawl(times * lanes * agents, 12, { agents, lanes, delayMs: 1_000, seed: agents })
    expect(unevenness(shares, agents), shares.join(' ')).toBeLessThan(0.1)
  })
})

describe('an agent that joins a crawl under way', () => {
  const faults = [{ kind: 'join', after: 0.25, agent: 0, forMs: 0, byMs: 0, isSeen: true }] as const

  it.each([1, 2, 3, 4])('takes over its share of what is left (seed %i)', async seed => {
    // Long enough to be asked again: the bus of a run with faults loses words.
    const shares = await crawl(30, 200, { agents: 2, faults, seed })
    expect(shares).toHaveLength(3)
    // A quarter was done before it came: a third of the rest is a quarter of all.
    expect(shares[2], shares.join(' ')).toBeGreaterThan((30 * 200) / 6)
    expect(shares[2], shares.join(' ')).toBeLessThan((30 * 200) / 3)
  })

  it('takes over its share of small sites', async () => {
    const shares = await crawl(60, 9, { agents: 2, faults, delayMs: 8_000 })
    expect(shares).toHaveLength(3)
    expect(shares[2], shares.join(' ')).toBeGreaterThan((60 * 9) / 6)
  })

  it('takes nothing over where lanes keep their sites to the end', async () => {
    const shares = await crawl(30, 100, { agents: 2, faults, slices: 'off' })
    expect(shares.slice(0, 2)).toEqual([1_500, 1_500])
  })
})
