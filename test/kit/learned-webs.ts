/** Small webs as if they had been learned, and what the `graph` assignment makes of them. */
import { GRAPH_WEIGHTS } from '../../src/config/index.js'
import { type GraphPlan, type LearnedWeb, planGraph } from '../../src/plan/assign/learned/index.js'

export type Site = LearnedWeb['sites'][number]

export function site(i: number, more: Partial<Site> = {}): Site {
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
export function web(sites: readonly Site[], nets: readonly (readonly number[])[]): LearnedWeb {
  const netOffsets = Uint32Array.from([0, ...nets]).fill(0)
  for (const [i, net] of nets.entries()) netOffsets[i + 1] = netOffsets[i] + net.length
  return {
    sites,
    netOffsets,
    pins: Uint32Array.from(nets.flat()),
    counts: new Float64Array(nets.length).fill(1),
  }
}

type Asked = Partial<Parameters<typeof planGraph>[1]>

export function planned(learned: LearnedWeb, more: Asked = {}): GraphPlan {
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
  return plan
}

export function partsOf(learned: LearnedWeb, more: Asked = {}): number[] {
  const { table } = planned(learned, more)
  return learned.sites.map(({ site }) => table.partOf(site))
}

export const forty = numbers(40)

export function numbers(count: number): readonly number[] {
  return Array.from({ length: count }, (_, i) => i)
}

/** Each of so many sites links to the next. */
export function ringOf(count: number): readonly (readonly number[])[] {
  return numbers(count).map(i => [i, (i + 1) % count])
}

export const ring = ringOf(40)

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
