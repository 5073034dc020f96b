import { describe, expect, it } from 'vitest'
import { chooseAssignment } from '../../../compose/index.js'
import { ASSIGNMENTS } from '../../../config/index.js'
import type { WaitingCell } from '../../../ledger/index.js'
import { SeededRandom } from '../../../model/index.js'
import type { AgentView } from '../index.js'

const waiting = (sizes: readonly number[]): WaitingCell[] =>
  sizes.map((size, i) => ({
    cell: `s${i}.test`,
    group: `s${i}.test`,
    rank: i,
    size,
    backlog: 1,
    turnOf: null,
    turn: `s${i}.test`,
    boundTo: null,
  }))

const agent = (name: string, over: Partial<AgentView> = {}): AgentView => ({
  name,
  incarnation: name.charCodeAt(0),
  lanes: 2,
  freeLanes: over.lanes ?? 2,
  held: 0,
  busyLanes: [],
  capacity: 1,
  ...over,
})

const sizesOf = (random: SeededRandom, count: number) =>
  Array.from({ length: count }, () => Math.ceil(1000 * random.next() ** 4))

/** In phases agents take cells themselves, and nothing is handed out. */
const HANDING_OUT = ASSIGNMENTS.filter(
  name => chooseAssignment(name, new SeededRandom(1)).looksAt !== 'nothing',
)

it('phases hands nothing out', () => {
  expect(ASSIGNMENTS.filter(name => !HANDING_OUT.includes(name))).toEqual(['phases'])
  const { given } = chooseAssignment('phases', new SeededRandom(1)).assign(waiting([1, 2]), [agent('a')])
  expect(given.size).toBe(0)
})

describe.each(HANDING_OUT)('%s', name => {
  it('gives no cell twice, never more than free lanes, and only cells that wait', () => {
    const random = new SeededRandom(7)
    for (let round = 0; round < 200; round++) {
      const assignment = chooseAssignment(name, random)
      const cells = waiting(sizesOf(random, Math.floor(random.next() * 60)))
      const agents = Array.from({ length: 1 + Math.floor(random.next() * 5) }, (_, i) => {
        const lanes = Math.floor(random.next() * 6)
        const busyLanes = Array.from({ length: lanes }, (_, lane) => lane + 1).filter(
          () => random.next() < 0.4,
        )
        const freeLanes = Math.floor((lanes - busyLanes.length) * random.next() + 0.5)
        return agent(String.fromCharCode(97 + i), { lanes, busyLanes, freeLanes, capacity: random.next() })
      })
      const { given } = assignment.assign(cells, agents)
      const all = [...given.values()].flat()
      expect(new Set(all).size).toBe(all.length)
      for (const cell of all) expect(cells.some(row => row.cell === cell)).toBe(true)
      for (const { incarnation, freeLanes, lanes, busyLanes } of agents) {
        const own = given.get(incarnation) ?? []
        expect(own.length).toBeLessThanOrEqual(freeLanes)
        const bound = own.map(cell => assignment.laneOf?.(cell) ?? 0).filter(lane => lane > 0)
        expect(new Set(bound).size).toBe(bound.length)
        for (const lane of bound) {
          expect(lane).toBeLessThanOrEqual(lanes)
          expect(busyLanes).not.toContain(lane)
        }
      }
    }
  })

  it('gives every cell a lane in the end, whoever comes and goes', () => {
    const random = new SeededRandom(3)
    for (let round = 0; round < 50; round++) {
      const assignment = chooseAssignment(name, random)
      let left = waiting(sizesOf(random, 40))
      for (let step = 0; left.length > 0; step++) {
        expect(step).toBeLessThan(200)
        const agents = ['a', 'b', 'c'].filter((_, i) => i === step % 3 || random.next() < 0.8)
        const { given } = assignment.assign(
          left,
          agents.map(each => agent(each)),
        )
        const gone = new Set([...given.values()].flat())
        left = left.filter(({ cell }) => !gone.has(cell))
      }
    }
  })

  it('gives a cell to nobody but the agent that holds its turn', () => {
    const random = new SeededRandom(9)
    const assignment = chooseAssignment(name, random)
    const cells = waiting(sizesOf(random, 30)).map((row, i) => ({
      ...row,
      group: `g${i % 12}`,
      turn: `g${i % 12}`,
      turnOf: i % 12 < 3 ? 97 + (i % 12) : null,
    }))
    const { given } = assignment.assign(
      cells,
      ['a', 'b', 'c'].map(each => agent(each, { lanes: 9 })),
    )
    const groups = new Map<string, number>()
    for (const [incarnation, own] of given) {
      for (const cell of own) {
        const { group, turnOf } = cells.find(row => row.cell === cell)!
        expect([incarnation, null]).toContain(turnOf)
        expect(groups.get(group) ?? incarnation).toBe(incarnation)
        groups.set(group, incarnation)
      }
    }
    expect(groups.size).toBeGreaterThan(3)
  })

  it('says the same for the same seed', () => {
    const say = () => {
      const assignment = chooseAssignment(name, new SeededRandom(11))
      return [...assignment.assign(waiting([5, 4, 3, 2, 1, 9]), [agent('a'), agent('b')]).given]
    }
    expect(say()).toEqual(say())
  })

  it('gives nothing to nobody', () => {
    const assignment = chooseAssignment(name, new SeededRandom(1))
    expect(assignment.assign(waiting([1]), []).given.size).toBe(0)
    expect(assignment.assign([], [agent('a')]).given.size).toBe(0)
  })
})

describe('dynamic', () => {
  const dynamic = chooseAssignment('dynamic', new SeededRandom(1))

  it('takes the head of the queue, the first sites for the lanes with most to spare (D14)', () => {
    const agents = [agent('a', { capacity: 0.05 }), agent('b', { capacity: 0.15 })]
    expect([...dynamic.assign(waiting([9, 8, 7, 6, 5]), agents).given]).toEqual([
      [98, ['s0.test', 's1.test']],
      [97, ['s2.test', 's3.test']],
    ])
  })

  it('lets equal agents take turns', () => {
    const { given } = dynamic.assign(waiting([9, 8, 7, 6]), [agent('a'), agent('b')])
    expect([...given.values()]).toEqual([
      ['s0.test', 's2.test'],
      ['s1.test', 's3.test'],
    ])
  })

  it('of agents with the same load begins with the one that has more to spare, then by name, whoever was first', () => {
    const firstOf = (...agents: readonly AgentView[]) => [
      ...dynamic.assign(waiting([9]), agents).given.keys(),
    ]
    expect(firstOf(agent('a', { capacity: 0.5 }), agent('b', { capacity: 0.9 }))).toEqual([98])
    expect(firstOf(agent('b', { capacity: 0.9 }), agent('a', { capacity: 0.5 }))).toEqual([98])
    expect(firstOf(agent('b'), agent('a'), agent('c'))).toEqual([97])
    const twins = [5, 3, 4].map(incarnation => agent('a', { incarnation }))
    expect(firstOf(...twins)).toEqual([3])
  })
})

describe('dynamic, with more free lanes than sites', () => {
  const dynamic = chooseAssignment('dynamic', new SeededRandom(1))
  const wide = (index: number, over: Partial<AgentView> = {}) =>
    agent(String.fromCharCode(97 + index), { lanes: 1_000, freeLanes: 1_000, ...over })
  const countsOf = (cells: readonly WaitingCell[], agents: readonly AgentView[]) => {
    const { given } = dynamic.assign(cells, agents)
    return agents.map(({ incarnation }) => given.get(incarnation)?.length ?? 0)
  }
  const sites = (count: number) => waiting(Array.from({ length: count }, () => 1))

  it.each([2, 4, 8])('shares sites equally among %i agents', agents => {
    for (const count of [8, 40, 1_000, 8_000]) {
      const shares = countsOf(
        sites(count),
        Array.from({ length: agents }, (_, i) => wide(i)),
      )
      expect(shares).toEqual(shares.map(() => Math.min(1_000, count / agents)))
    }
  })

  it('counts what agents have in hand: the one with the least is given most', () => {
    expect(countsOf(sites(40), [wide(0, { held: 30 }), wide(1, { held: 10 })])).toEqual([10, 30])
    expect(countsOf(sites(40), [wide(0, { held: 100 }), wide(1)])).toEqual([0, 40])
  })

  it('counts what a turn has brought: sites of one group stay together, others go where there is less', () => {
    const cells = sites(40).map((row, i) => (i < 10 ? { ...row, group: 'g', turn: 'g' } : row))
    expect(countsOf(cells, [wide(0), wide(1)])).toEqual([20, 20])
    const held = cells.map(row => (row.group === 'g' ? { ...row, turnOf: 97 } : row))
    expect(countsOf(held, [wide(0), wide(1)])).toEqual([20, 20])
  })

  it('gives an agent with more lanes more, and one with nothing to spare a quarter', () => {
    expect(countsOf(sites(40), [wide(0), wide(1, { lanes: 3_000, freeLanes: 3_000 })])).toEqual([10, 30])
    expect(countsOf(sites(50), [wide(0), wide(1, { capacity: 0.01 })])).toEqual([40, 10])
  })

  it('does not go by how idle an agent was: what it has in hand says that', () => {
    expect(countsOf(sites(40), [wide(0, { capacity: 0.3 }), wide(1, { capacity: 1 })])).toEqual([20, 20])
  })
})

describe('hash', () => {
  const cells = waiting(Array.from({ length: 4_000 }, () => 1))
  const wide = (name: string, capacity = 1) => agent(name, { lanes: 4_000, freeLanes: 4_000, capacity })
  const ownersBy = (agents: readonly AgentView[]) => {
    const owners = new Map<string, number>()
    const { given } = chooseAssignment('hash', new SeededRandom(1)).assign(cells, agents)
    for (const [incarnation, own] of given) for (const cell of own) owners.set(cell, incarnation)
    return owners
  }
  const shareOf = (owners: ReadonlyMap<string, number>, name: string) =>
    [...owners.values()].filter(owner => owner === name.charCodeAt(0)).length / owners.size

  it('shares by capacity', () => {
    const owners = ownersBy([wide('a'), wide('b'), wide('c', 2)])
    expect(owners.size).toBe(4_000)
    expect(shareOf(owners, 'a')).toBeCloseTo(0.25, 1)
    expect(shareOf(owners, 'c')).toBeCloseTo(0.5, 1)
  })

  it('moves only what a new agent takes, and only what an old one leaves', () => {
    const three = ownersBy([wide('a'), wide('b'), wide('c')])
    const four = ownersBy([wide('a'), wide('b'), wide('c'), wide('d')])
    const moved = [...four].filter(([cell, owner]) => three.get(cell) !== owner)
    expect(moved.every(([, owner]) => owner === 'd'.charCodeAt(0))).toBe(true)
    expect(moved.length / 4_000).toBeCloseTo(0.25, 1)
  })

  it('does not move cells for small changes of capacity', () => {
    const hash = chooseAssignment('hash', new SeededRandom(1))
    const before = [...hash.assign(cells, [wide('a'), wide('b')]).given]
    expect([...hash.assign(cells, [wide('a', 1.4), wide('b', 0.8)]).given]).toEqual(before)
    expect([...hash.assign(cells, [wide('a', 5), wide('b', 0.8)]).given]).not.toEqual(before)
  })
})

describe.each(['hash', 'static-random', 'static-size'] as const)('%s, sites of one group', name => {
  /** All of one group, whose turn `a` holds. */
  const grouped = waiting(Array.from({ length: 12 }, () => 1)).map(row => ({
    ...row,
    group: 'g',
    turn: 'g',
    turnOf: 97,
  }))

  it('says that the turn is wanted, and gives its holder no more of them meanwhile', () => {
    const assignment = chooseAssignment(name, new SeededRandom(4))
    const { given, wanted } = assignment.assign(grouped, [agent('a', { lanes: 9 }), agent('b', { lanes: 9 })])
    expect([...wanted]).toEqual([[97, new Set(['g'])]])
    expect(given.size).toBe(0)
  })

  it('wants nothing for an agent that has no lane for it', () => {
    const assignment = chooseAssignment(name, new SeededRandom(4))
    const full = agent('b', { lanes: 9, freeLanes: 0, busyLanes: [1, 2, 3, 4, 5, 6, 7, 8, 9] })
    const { given, wanted } = assignment.assign(grouped, [agent('a', { lanes: 9 }), full])
    expect(wanted.size).toBe(0)
    expect(given.get(97)!.length).toBeGreaterThan(0)
  })
})

describe('static', () => {
  const agents = [agent('a'), agent('b'), agent('c')]
  /** Works all cells off, lane by lane; the sizes that each lane got. */
  const lanesOf = (name: 'static-random' | 'static-size', sizes: readonly number[], seed: number) => {
    const assignment = chooseAssignment(name, new SeededRandom(seed))
    const lanes = new Map<string, number[]>()
    for (let left = waiting(sizes); left.length > 0; ) {
      const { given } = assignment.assign(left, agents)
      for (const [incarnation, cells] of given) {
        for (const cell of cells) {
          const key = `${incarnation}/${assignment.laneOf?.(cell)}`
          lanes.set(key, [...(lanes.get(key) ?? []), left.find(row => row.cell === cell)!.size])
        }
      }
      const gone = new Set([...given.values()].flat())
      left = left.filter(({ cell }) => !gone.has(cell))
    }
    return [...lanes.values()]
  }
  const sum = (sizes: readonly number[]) => sizes.reduce((total, size) => total + size, 0)

  it('random: each lane has the same number of sites, drawn by the seed', () => {
    const sizes = sizesOf(new SeededRandom(5), 30)
    const lanes = lanesOf('static-random', sizes, 1)
    expect(lanes.map(own => own.length)).toEqual([5, 5, 5, 5, 5, 5])
    expect(lanesOf('static-random', sizes, 2)).not.toEqual(lanes)
  })

  it('size: each lane has about the same number of objects', () => {
    const lanes = lanesOf('static-size', sizesOf(new SeededRandom(5), 60), 1)
    const sums = lanes.map(sum)
    expect(Math.max(...sums) / Math.min(...sums)).toBeLessThan(1.2)
  })

  it('a site waits for its lane although others are idle', () => {
    const assignment = chooseAssignment('static-size', new SeededRandom(1))
    const cells = waiting([10, 10, 10, 10, 10, 10, 1])
    assignment.assign(cells, agents)
    const last = cells.slice(6)
    const lane = assignment.laneOf!('s6.test')
    const busy = agents.map(each => agent(each.name, { busyLanes: [lane], freeLanes: 1 }))
    expect(assignment.assign(last, busy).given.size).toBe(0)
    expect(assignment.assign(last, agents).given.size).toBe(1)
  })

  it('sites of an agent that left are bound anew, all others stay where they are', () => {
    const assignment = chooseAssignment('static-random', new SeededRandom(1))
    const cells = waiting(Array.from({ length: 30 }, () => 1))
    const ownerOf = (list: readonly AgentView[]) => {
      const owners = new Map<string, string>()
      for (let left = cells; left.length > 0; ) {
        const { given } = assignment.assign(left, list)
        for (const [incarnation, own] of given)
          for (const cell of own) owners.set(cell, `${incarnation}/${assignment.laneOf?.(cell)}`)
        left = left.filter(({ cell }) => !owners.has(cell))
      }
      return owners
    }
    const before = ownerOf(agents)
    const after = ownerOf(agents.slice(0, 2))
    for (const [cell, owner] of before) {
      if (owner.startsWith('99/')) expect(after.get(cell)).not.toBe(owner)
      else expect(after.get(cell)).toBe(owner)
    }
  })
  it.each(['static-random', 'static-size'] as const)(
    '%s: a coordinator that comes later goes on with what is bound, and fills the lanes up evenly',
    name => {
      const cells = waiting(Array.from({ length: 20 }, (_, i) => 30 - i))
      const first = chooseAssignment(name, new SeededRandom(1))
      first.assign(cells.slice(0, 11), agents)
      const bindings = new Map(first.plan!.takeNew().map(({ cell, ...lane }) => [cell, lane]))
      expect(bindings.size).toBe(11)
      expect(first.plan!.takeNew()).toEqual([])
      const loads = [...bindings].map(([cell, lane]) => {
        const { size } = cells.find(row => row.cell === cell)!
        return { ...lane, cells: 1, size }
      })
      const summed = new Map<string, (typeof loads)[number]>()
      for (const load of loads) {
        const known = summed.get(`${load.agent}${load.lane}`)
        summed.set(`${load.agent}${load.lane}`, {
          ...load,
          cells: load.cells + (known?.cells ?? 0),
          size: load.size + (known?.size ?? 0),
        })
      }
      const second = chooseAssignment(name, new SeededRandom(2))
      second.plan!.restore([...summed.values()])
      second.assign(
        cells.map(row => ({ ...row, boundTo: bindings.get(row.cell) ?? null })),
        agents,
      )
      for (const [cell, { lane }] of bindings) expect(second.laneOf!(cell)).toBe(lane)
      const late = second.plan!.takeNew()
      expect(late).toHaveLength(9)
      const count = new Map<string, number>()
      for (const { agent: name, lane } of [...bindings.values(), ...late])
        count.set(`${name}${lane}`, (count.get(`${name}${lane}`) ?? 0) + 1)
      if (name === 'static-random') expect([...count.values()].sort()).toEqual([3, 3, 3, 3, 4, 4])
    },
  )
})
