import { describe, expect, it } from 'vitest'
import {
  forty,
  partsOf,
  planned,
  ring,
  type Site,
  site,
  sum,
  web,
} from '../../../../test/kit/learned-webs.js'
import { checkGraphSetting } from '../../../config/graph-settings.js'
import { GRAPH_WEIGHTS, readGraphSettings } from '../../../config/index.js'
import { planGraph } from './plan-graph.js'

describe('graph', () => {
  it('keeps sites with links together, and halves even', () => {
    const nets = forty.flatMap(i => forty.filter(j => j !== i && j % 2 === i % 2).map(j => [i, j]))
    const parts = partsOf(
      web(
        forty.map(i => site(i)),
        nets,
      ),
    )
    for (const i of forty) expect(parts[i]).toBe(parts[i % 2])
    expect(sum(parts)).toBe(20)
  })

  it('with addresses as vertices, sites of one address are in one part whatever they link to', () => {
    const sites = forty.map(i => site(i, { addresses: [`192.0.2.${i >> 2}`] }))
    const nets = forty.flatMap(i => forty.filter(j => j !== i && j % 2 === i % 2).map(j => [i, j]))
    const parts = partsOf(web(sites, nets), { vertices: 'address' })
    for (const i of forty) expect(parts[i]).toBe(parts[i - (i % 4)])
  })

  it('takes an address apart that outweighs a part: a CDN, or a test on one machine', () => {
    const sites = forty.map(i => site(i, { addresses: ['127.0.0.1'] }))
    expect(sum(partsOf(web(sites, [[0, 1]]), { vertices: 'address' }))).toBeGreaterThan(18)
  })

  it('a site goes to the agent that is near it, and each agent has its own part', () => {
    const sites = forty.map(i =>
      site(i, { connectMs: { 'agent-1': i % 2 ? 200 : 5, 'agent-2': i % 2 ? 5 : 200 } }),
    )
    // Without pinned agents a part would be anybody's, and one seed in two would have them the other way
    // round.
    for (const seed of [1, 2, 3, 4, 5, 6]) {
      const parts = partsOf(web(sites, ring), { weights: { ...GRAPH_WEIGHTS, rtt: 10 }, seed })
      expect(parts).toEqual(forty.map(i => i % 2))
    }
    const without = partsOf(web(sites, ring), { weights: { ...GRAPH_WEIGHTS, rtt: 0 } })
    expect(without).not.toEqual(forty.map(i => i % 2))
  })

  it('what an agent measured of one site counts for all of its address, and for its block of addresses', () => {
    // Each site is measured by one agent, as after a crawl by hash; odd blocks are near agent-2.
    const near = (i: number, agent: number) => (i % 2 === agent - 1 ? 5 : 200)
    for (const perAddress of [4, 1]) {
      const sites = forty.map(i => {
        const agent = 1 + ((i >> 1) % 2)
        const address = `10.${i % 2}.${Math.floor((i >> 1) / perAddress)}.1`
        return site(i, { addresses: [address], connectMs: { [`agent-${agent}`]: near(i, agent) } })
      })
      const parts = partsOf(web(sites, ring), { weights: { ...GRAPH_WEIGHTS, rtt: 10 } })
      expect(parts).toEqual(forty.map(i => i % 2))
    }
  })

  it('in the RTT graph alone all vertices weigh the same, be they sites or addresses (S5)', () => {
    const alone = (sites: readonly Site[], vertices: 'site' | 'address') =>
      planned(web(sites, [[0, 1]]), { vertices }).objectives.find(({ name }) => name === 'rtt')?.alone
    const near = (agent: number) => ({
      connectMs: { 'agent-1': agent === 1 ? 5 : 200, 'agent-2': agent === 2 ? 5 : 200 },
    })
    // As many sites are near one agent as near the other, but those of the first have ten times the pages.
    const sites = forty.map(i => site(i, { ...near(i < 20 ? 1 : 2), pages: i < 20 ? 100 : 10 }))
    expect(alone(sites, 'site')).toBe(0)
    // Forty addresses near each, three sites at each of the first ones.
    const addresses = Array.from({ length: 160 }, (_, i) => {
      const address = i < 120 ? Math.floor(i / 3) : i - 80
      return site(i, { ...near(i < 120 ? 1 : 2), addresses: [`192.0.2.${address}`] })
    })
    expect(alone(addresses, 'address')).toBe(0)
    expect(alone(addresses, 'site')).toBeGreaterThan(0)
  })

  it('tells what is cut of each objective, alone and in the end; one that nothing is known for is not there', () => {
    const sites = forty.map(i => site(i, { site: `s${i}.${i % 2 ? 'pt' : 'fr'}` }))
    const weights = { links: 1, rtt: 1, change: 1, similarity: 1, geography: 0.001 }
    const { objectives } = planned(web(sites, ring), { weights })
    expect(objectives.map(({ name, factor }) => [name, factor])).toEqual([
      ['links', 1],
      ['geography', 0.001],
    ])
    expect(objectives[0]).toMatchObject({ alone: 2, cut: 2 })
    expect(objectives[1]).toMatchObject({ alone: 0, cut: 40 })
  })

  it('is refused in one line for more agents than sites', () => {
    const asked = {
      shares: [1, 1, 1],
      weights: GRAPH_WEIGHTS,
      vertices: 'site',
      grouping: 'none',
      seed: 1,
    } as const
    expect(planGraph(web([site(0), site(1)], []), { ...asked, agents: ['a', 'b', 'c'] })).toMatch(
      /2 known sites.*3 agents/,
    )
  })
})

describe('--graph', () => {
  it('sets vertices and factors', () => {
    expect(readGraphSettings([])).toEqual({ vertices: 'address', weights: GRAPH_WEIGHTS })
    const weights = { ...GRAPH_WEIGHTS, rtt: 2, geography: 0.5 }
    expect(readGraphSettings(['vertices=site', 'rtt=2', 'geography=0.5'])).toEqual({
      vertices: 'site',
      weights,
    })
  })

  it.each(['vertices=page', 'speed=3', 'rtt', 'rtt=', 'rtt=-1', 'rtt=1=2', 'links=x'])('refuses %s', word => {
    expect(checkGraphSetting(word)).not.toBeNull()
  })
})
