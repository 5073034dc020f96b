import { describe, expect, it } from 'vitest'
import { GRAPH_WEIGHTS } from './graph-objectives.js'
import { checkGraphWord, type LearnedWeb, readGraphWords } from './index.js'
import { planGraph } from './plan-graph.js'

type Site = LearnedWeb['sites'][number]

function site(i: number, more: Partial<Site> = {}): Site {
  return {
    site: `s${i}.test`,
    pages: 10,
    bytes: 0,
    fetchMs: 0,
    checked: 0,
    changed: 0,
    addresses: [],
    connectMs: {},
    ...more,
  }
}

/** Nets are [source, targets…], each on one page. */
function web(sites: readonly Site[], nets: readonly (readonly number[])[]): LearnedWeb {
  const netOffsets = Uint32Array.from([0, ...nets]).fill(0)
  for (const [i, net] of nets.entries()) netOffsets[i + 1] = netOffsets[i] + net.length
  return {
    sites,
    netOffsets,
    pins: Uint32Array.from(nets.flat()),
    counts: new Float64Array(nets.length).fill(1),
  }
}

function partsOf(learned: LearnedWeb, more: Partial<Parameters<typeof planGraph>[1]> = {}): number[] {
  const k = more.shares?.length ?? 2
  const plan = planGraph(learned, {
    agents: Array.from({ length: k }, (_, i) => `agent-${i + 1}`),
    shares: new Array<number>(k).fill(1),
    grouping: 'none',
    vertices: 'site',
    weights: GRAPH_WEIGHTS,
    seed: 1,
    ...more,
  })
  if (typeof plan === 'string') throw new Error(plan)
  return learned.sites.map(({ site }) => plan.table.partOf(site))
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

const forty = Array.from({ length: 40 }, (_, i) => i)

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
    const ring = forty.map(i => [i, (i + 1) % 40])
    // Without pinned agents a part would be anybody's, and one seed in two would have them the other way round.
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
    const ring = forty.map(i => [i, (i + 1) % 40])
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

  it('sites that change often weigh more when that is asked for', () => {
    const sites = forty.map(i => site(i, { checked: 10, changed: i < 10 ? 10 : 0 }))
    // Those that change have all links among themselves: by pages alone they are together.
    const few = forty.slice(0, 10)
    const nets = [...few.flatMap(i => few.filter(j => j !== i).map(j => [i, j])), [20, 21]]
    const load = (parts: readonly number[]) => {
      const loads = [0, 0]
      for (const i of forty) loads[parts[i]] += 1 + 3 * (sites[i].changed / sites[i].checked)
      return Math.max(...loads) / (sum(loads) / 2)
    }
    expect(load(partsOf(web(sites, nets)))).toBeGreaterThan(1.3)
    expect(load(partsOf(web(sites, nets), { weights: { ...GRAPH_WEIGHTS, change: 3 } }))).toBeLessThan(1.06)
  })

  it('sites that the same pages name, and sites of one country, stay together when that is asked for', () => {
    // The ring says: neighbours. The third pins, and the names, say: odd and even.
    const sites = forty.map(i => site(i, { site: `s${i}.${i % 2 ? 'pt' : 'fr'}` }))
    const nets = forty.map(i => [i, (i + 1) % 40, (i + 3) % 40])
    const isSplit = (parts: readonly number[]) => forty.every(i => parts[i] === parts[i % 2])
    const alone = { ...GRAPH_WEIGHTS, links: 0.001 }
    expect(isSplit(partsOf(web(sites, nets)))).toBe(false)
    expect(isSplit(partsOf(web(sites, nets), { weights: { ...alone, similarity: 1 } }))).toBe(true)
    expect(isSplit(partsOf(web(sites, nets), { weights: { ...alone, geography: 1 } }))).toBe(true)
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
    expect(readGraphWords([])).toEqual({ vertices: 'address', weights: GRAPH_WEIGHTS })
    const weights = { ...GRAPH_WEIGHTS, rtt: 2, geography: 0.5 }
    expect(readGraphWords(['vertices=site', 'rtt=2', 'geography=0.5'])).toEqual({ vertices: 'site', weights })
  })

  it.each(['vertices=page', 'speed=3', 'rtt', 'rtt=', 'rtt=-1', 'rtt=1=2', 'links=x'])('refuses %s', word => {
    expect(checkGraphWord(word)).not.toBeNull()
  })
})
