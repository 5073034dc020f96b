import { describe, expect, it } from 'vitest'
import { chooseAssignment } from '../../../compose/index.js'
import type { WaitingCell } from '../../../ledger/index.js'
import { LIMITS, SeededRandom } from '../../../model/index.js'
import type { AgentView } from '../index.js'
import type { LearnedWeb } from './learned-web.js'
import { planRouting } from './plan-routing.js'
import { PrefixRoutes, PrefixTable } from './prefix-table.js'
import { RoutingTable } from './routing-table.js'

const siteName = (i: number) => `s${i}.test`

function agent(number: number, freeLanes = 10): AgentView {
  return {
    name: `agent-${number}`,
    incarnation: number,
    lanes: 10,
    freeLanes,
    held: 0,
    busyLanes: [],
    capacity: 1,
  }
}

function waits(cell: string, more: Partial<WaitingCell> = {}): WaitingCell {
  return { cell, group: cell, rank: 0, size: 1, backlog: 1, turnOf: null, turn: cell, boundTo: null, ...more }
}

/** `communities` of ten sites each that mostly link among themselves. */
function learnedWeb(communities: number, foreign = 1): LearnedWeb {
  const random = new SeededRandom(5)
  const count = communities * 10
  const pins: number[] = []
  const offsets = [0]
  for (let net = 0; net < count * 20; net++) {
    const source = net % count
    const home = Math.floor(source / 10) * 10
    const near = home + Math.floor(random.next() * 10)
    const far = Math.floor(random.next() * count)
    const target = random.next() * 20 < foreign ? far : near
    pins.push(source, ...(target === source ? [] : [target]))
    offsets.push(pins.length)
  }
  return {
    sites: Array.from({ length: count }, (_, i) => ({
      site: siteName(i),
      pages: 20 + (i % 7),
      bytes: 20_000 + 1_000 * (i % 5),
      fetchMs: 100,
      checked: 0,
      changed: 0,
      addresses: [],
      connectMs: {},
    })),
    netOffsets: Uint32Array.from(offsets),
    pins: Uint32Array.from(pins),
    counts: new Float64Array(offsets.length - 1).fill(1),
  }
}

function routesOf(sites: LearnedWeb['sites']) {
  return sites.map(({ site }) => ({ site, part: 0 }))
}

describe('a routing table', () => {
  const routes = Array.from({ length: 500 }, (_, i) => ({ site: siteName(i), part: i % 7 }))

  it('knows the part of every site it was made of, and of no other, also after a journey as bytes', () => {
    const table = RoutingTable.decode(RoutingTable.of(7, routes).encode())!
    for (const { site, part } of routes) expect(table.partOf(site)).toBe(part)
    expect(table.partOf('elsewhere.test')).toBe(-1)
    expect(table).toMatchObject({ parts: 7, sites: 500 })
  })

  it('takes ten bytes a site', () => {
    const perSite = RoutingTable.of(7, routes).encode().length / routes.length
    expect(perSite).toBeCloseTo(10, 0)
  })

  it('sends a site that it does not know where the prefix of its address goes, if the address is known', () => {
    const prefixes = [
      { prefix: '192.0.2.0/24', part: 3 },
      { prefix: '192.0.2.128/25', part: 4 },
      { prefix: '2001:db8:0:0:0:0:0:0/32', part: 5 },
    ]
    const given = (site: string) => (site === 'given.test' ? '192.0.2.200' : null)
    const table = RoutingTable.decode(RoutingTable.of(7, routes).withPrefixes(prefixes).encode(), given)!
    expect(table.partOf(routes[9].site)).toBe(routes[9].part)
    const asked = [
      '192.0.2.1:8080',
      '192.0.2.129',
      '[2001:db8::7]:81',
      'given.test',
      'other.test',
      '198.51.100.1',
    ]
    expect(asked.map(site => table.partOf(site))).toEqual([3, 4, 5, 4, -1, -1])
  })

  it('is refused when a byte of it is another, or some are missing', () => {
    const bytes = RoutingTable.of(7, routes).encode()
    for (const at of [0, 5, 9, bytes.length - 1]) {
      const bad = Buffer.from(bytes)
      bad[at] ^= 1
      expect(RoutingTable.decode(bad), `byte ${at}`).toBeNull()
    }
    expect(RoutingTable.decode(bytes.subarray(0, bytes.length - 3))).toBeNull()
  })

  it('says what it costs to take a site elsewhere', () => {
    const table = RoutingTable.of(3, [
      {
        site: 'a',
        part: 0,
        pulls: [
          [0, 5],
          [1, 2],
        ],
      },
      { site: 'b', part: 1, pulls: [[2, 4]] },
    ])
    expect([1, 2].map(part => table.costOf('a', part))).toEqual([3, 5])
    expect(table.costOf('b', 2)).toBe(-4)
    expect(table.costOf('unknown', 2)).toBe(0)
  })
})

describe('address prefixes', () => {
  it('aggregate what goes together, and route every known address as it was given', () => {
    const random = new SeededRandom(3)
    const routes = Array.from({ length: 2_000 }, () => {
      const net = Math.floor(random.next() * 40)
      const address = `10.${net}.${Math.floor(random.next() * 256)}.${Math.floor(random.next() * 256)}`
      return { address, part: net % 4 }
    })
    routes.push({ address: '2001:db8::1', part: 2 }, { address: '2001:db8::2', part: 2 })
    const prefixes = new PrefixTable(routes).prefixes()
    expect(prefixes.length).toBeLessThan(routes.length / 20)
    const found = new PrefixRoutes(prefixes)
    for (const { address, part } of routes) expect(found.partOf(address), address).toBe(part)
    expect(found.partOf('10.7.3.4')).toBe(3)
    expect(found.partOf('2001:db8::3')).toBe(2)
    for (const other of ['192.0.2.1', '2002::1', 'example.org']) expect(found.partOf(other), other).toBe(-1)
  })

  it('leave out what is no address', () => {
    expect(new PrefixTable([{ address: 'example.org', part: 0 }]).prefixes()).toEqual([])
  })
})

describe('planned routes', () => {
  const request = { shares: [1, 1, 1, 1], grouping: 'domain', seed: 1 } as const

  it('keep both weights within 5 % and send far fewer messages than a hash', () => {
    const plan = planRouting(learnedWeb(16), request)
    if (typeof plan === 'string') throw new Error(plan)
    for (const over of plan.imbalance) expect(over).toBeLessThanOrEqual(0.05)
    expect(plan.predicted.messages * 4).toBeLessThan(plan.byHash.messages)
    expect(plan.predicted.coalescedMessages).toBeLessThan(plan.byHash.coalescedMessages)
  })

  it('give an agent that can do twice as much twice the weight', () => {
    const web = learnedWeb(16)
    const plan = planRouting(web, { ...request, shares: [2, 1, 1] })
    if (typeof plan === 'string') throw new Error(plan)
    const pages = [0, 0, 0]
    for (const { site, pages: own } of web.sites) pages[plan.table.partOf(site)] += own
    expect(pages[0] / (pages[0] + pages[1] + pages[2])).toBeCloseTo(0.5, 1)
  })

  it('say what it costs to take a site elsewhere for hybrid alone, which asks for it', () => {
    const tables = [false, true].map(hasPulls => {
      const plan = planRouting(learnedWeb(16), { ...request, hasPulls })
      if (typeof plan === 'string') throw new Error(plan)
      return plan.table
    })
    const [plain, pulled] = tables.map(table => table.encode().length)
    expect(plain).toBe(RoutingTable.of(4, routesOf(learnedWeb(16).sites)).encode().length)
    expect(pulled).toBeGreaterThan(1.5 * plain)
    const costs = learnedWeb(16).sites.map(({ site }) => tables[1].costOf(site, 0))
    expect(costs.filter(cost => cost !== 0).length).toBeGreaterThan(costs.length / 2)
  })

  it('are the same for the same seed', () => {
    const [a, b] = [1, 2].map(() => planRouting(learnedWeb(16), request))
    if (typeof a === 'string' || typeof b === 'string') throw new Error('no plan')
    expect(a.table.encode().equals(b.table.encode())).toBe(true)
  })

  it('keep sites of one group together', () => {
    const web = learnedWeb(8)
    const sites = web.sites.map((site, i) => ({ ...site, site: `h${i % 4}.d${Math.floor(i / 4)}.test` }))
    const plan = planRouting({ ...web, sites }, request)
    if (typeof plan === 'string') throw new Error(plan)
    for (let i = 0; i < sites.length; i += 4) {
      const parts = sites.slice(i, i + 4).map(({ site }) => plan.table.partOf(site))
      expect(new Set(parts).size).toBe(1)
    }
  })

  it('do not exist for more agents than sites', () => {
    const few = planRouting(learnedWeb(1), { ...request, shares: new Array<number>(11).fill(1) })
    expect(few).toMatch(/10 known sites.* too few for 11 agents/)
  })
})

describe.each(['hypergraph', 'hybrid'] as const)('%s', name => {
  const table = RoutingTable.of(
    3,
    Array.from({ length: 30 }, (_, i) => ({ site: siteName(i), part: i % 3, pulls: [[i % 3, 10]] })),
  )
  let now = 0
  const begin = () => {
    now = 1_000_000
    return chooseAssignment(name, new SeededRandom(1), { table, now: () => now })
  }
  const all = Array.from({ length: 30 }, (_, i) => waits(siteName(i)))

  it('gives the sites of a part to one agent', () => {
    const { given } = begin().assign(all, [agent(1), agent(2), agent(3)])
    for (const [incarnation, cells] of given)
      expect(cells).toEqual(all.map(({ cell }) => cell).filter((_, i) => i % 3 === incarnation - 1))
  })

  it('lets the sites of a part wait for its agent, and gives them to others when it does not come', () => {
    const assignment = begin()
    const early = assignment.assign(all, [agent(1, 100), agent(2, 100)])
    expect([...early.given.values()].flat()).toHaveLength(20)
    now += LIMITS.partGraceMs
    const late = assignment.assign(all, [agent(1, 100), agent(2, 100)])
    expect([...late.given.values()].flat()).toHaveLength(30)
  })

  it('goes on with the owners of the coordinator before', () => {
    const first = begin()
    first.assign(all, [agent(3), agent(7)])
    const names = first.owners?.takeChanged() ?? []
    expect(names).toEqual(['agent-3', 'agent-7', ''])
    const second = begin()
    second.owners?.restore(names)
    const { given } = second.assign(all, [agent(1), agent(3), agent(7)])
    expect(given.get(3)).toContain(siteName(0))
    expect(given.get(7)).toContain(siteName(1))
    expect(given.get(1)).toContain(siteName(2))
    expect(second.owners?.takeChanged()).toEqual(['agent-3', 'agent-7', 'agent-1'])
  })

  it('gives a part whose agent is gone to one that has come since', () => {
    const assignment = begin()
    assignment.assign(all, [agent(1), agent(2), agent(3)])
    now += LIMITS.partGraceMs
    const { given } = assignment.assign(all, [agent(1), agent(2), agent(4)])
    expect(given.get(4)).toEqual(all.map(({ cell }) => cell).filter((_, i) => i % 3 === 2))
    expect(assignment.owners?.takeChanged()).toEqual(['agent-1', 'agent-2', 'agent-4'])
  })

  it('gives a part at once to another process on the machine of its agent, if there is one', () => {
    const assignment = begin()
    assignment.owners?.restore(['here:1', 'away:1', 'there:1'])
    const newcomer = (name: string, number: number) => ({ ...agent(number), name })
    const { given } = assignment.assign(all, [
      newcomer('else:7', 1),
      newcomer('away:2', 2),
      newcomer('here:1', 3),
    ])
    expect(given.get(2)).toEqual(all.map(({ cell }) => cell).filter((_, i) => i % 3 === 1))
    expect(given.get(3)).toContain(siteName(0))
    expect(assignment.owners?.takeChanged()).toEqual(['here:1', 'away:2', 'there:1'])
  })

  it('has a place for sites that nothing is known of', () => {
    const strange = Array.from({ length: 60 }, (_, i) => waits(`x${i}.test`))
    const { given } = begin().assign(strange, [agent(1, 60), agent(2, 60), agent(3, 60)])
    expect([...given.values()].flat().sort()).toEqual(strange.map(({ cell }) => cell).sort())
  })

  it('starts as another does when nothing was learned', () => {
    const fallback = chooseAssignment(name, new SeededRandom(1))
    expect(fallback.name).toBe(name === 'hypergraph' ? 'hash' : 'dynamic')
  })
})

describe('hybrid', () => {
  const table = RoutingTable.of(2, [
    { site: 'dear.test', part: 0, pulls: [[0, 50]] },
    {
      site: 'cheap.test',
      part: 0,
      pulls: [
        [0, 3],
        [1, 2],
      ],
    },
    { site: 'own.test', part: 1 },
  ])
  const cells = ['dear.test', 'cheap.test', 'own.test'].map(cell => waits(cell))

  it('lets an agent that has run dry take what costs the fewest messages', () => {
    const assignment = chooseAssignment('hybrid', new SeededRandom(1), { table, now: () => 0 })
    assignment.owners?.restore(['agent-1', 'agent-2'])
    const { given } = assignment.assign(cells, [agent(1, 0), agent(2, 2)])
    expect(given.get(2)).toEqual(['own.test', 'cheap.test'])
  })

  it('leaves to an agent what it has a lane for', () => {
    const assignment = chooseAssignment('hybrid', new SeededRandom(1), { table, now: () => 0 })
    assignment.owners?.restore(['agent-1', 'agent-2'])
    const { given } = assignment.assign(cells, [agent(1, 5), agent(2, 5)])
    expect(given.get(1)).toEqual(['dear.test', 'cheap.test'])
    expect(given.get(2)).toEqual(['own.test'])
  })

  it('spreads sites that nothing is known of, and what others have no lane for, by load', () => {
    const assignment = chooseAssignment('hybrid', new SeededRandom(1), { table, now: () => 0 })
    assignment.owners?.restore(['agent-1', 'agent-2'])
    const fresh = Array.from({ length: 30 }, (_, i) => waits(`new${i}.test`))
    const wide = (number: number, held: number) => ({ ...agent(number, 1_000), lanes: 1_000, held })
    const counts = (...agents: AgentView[]) => {
      const { given } = assignment.assign(fresh, agents)
      return agents.map(({ incarnation }) => given.get(incarnation)?.length ?? 0)
    }
    expect(counts(wide(1, 0), wide(2, 0))).toEqual([15, 15])
    expect(counts(wide(1, 20), wide(2, 0))).toEqual([5, 25])
  })

  it('gives a site to the agent that holds its turn, however much that has to do', () => {
    const assignment = chooseAssignment('hybrid', new SeededRandom(1), { table, now: () => 0 })
    assignment.owners?.restore(['agent-1', 'agent-2'])
    const { given } = assignment.assign(
      [waits('new.test', { turnOf: 1 })],
      [{ ...agent(1), held: 9 }, agent(2)],
    )
    expect([...given]).toEqual([[1, ['new.test']]])
  })
})
