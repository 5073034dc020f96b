/**
 * What was learned, as graphs over the same vertices (S4, S5, S17): sites first, then a vertex for each agent, which is pinned
 * to its part (S7). A cut removes what is light, so a distance is turned into nearness before it becomes the weight of an edge.
 */
import type { Hypergraph } from '../partition/index.js'
import type { LearnedWeb } from './learned-web.js'

/** p_i of the combiner (S8): how much each counts beside the others; 0 leaves it out. */
export interface GraphWeights {
  /** Links between sites. */
  readonly links: number
  /** Time from agents to sites. */
  readonly rtt: number
  /** Sites whose pages change often weigh more: they are fetched more often. No graph, but a matter of balance. */
  readonly change: number
  /** Sites that the same pages link to are about the same things. */
  readonly similarity: number
  /** Sites of one country code, and of one block of addresses, stay together. */
  readonly geography: number
}

export const GRAPH_WEIGHTS: GraphWeights = { links: 1, rtt: 0.2, change: 0, similarity: 0, geography: 0 }

/** Of a site, joined with it: to be near one of these is as good as it gets. */
const NEAR_AGENTS = 3
/** Of a page, that are joined with each other; pages with more links are lists of everything. */
const MOST_ALIKE = 8

/** Edges are added one by one; equal ones are merged by the partitioner. */
class NetList {
  readonly #offsets: number[] = [0]
  readonly #pins: number[] = []
  readonly #costs: number[] = []

  add(pins: readonly number[], cost: number): void {
    if (!(cost > 0) || pins.length < 2) return
    this.#pins.push(...pins)
    this.#offsets.push(this.#pins.length)
    this.#costs.push(cost)
  }

  over(vertexWeights: Float64Array): Hypergraph {
    return {
      vertexCount: vertexWeights.length,
      netCount: this.#costs.length,
      netOffsets: Uint32Array.from(this.#offsets),
      pins: Uint32Array.from(this.#pins),
      netCosts: Float64Array.from(this.#costs),
      constraintCount: 1,
      vertexWeights,
    }
  }
}

/** Pages, more for those that change; agents weigh nothing. */
export function loadsOf({ sites }: LearnedWeb, agents: number, change: number): Float64Array {
  const loads = new Float64Array(sites.length + agents)
  for (const [v, { pages, checked, changed }] of sites.entries())
    loads[v] = Math.max(1, pages) * (1 + change * (checked > 0 ? changed / checked : 0))
  return loads
}

export function linkGraph({ netOffsets, pins, counts }: LearnedWeb, loads: Float64Array): Hypergraph {
  const edges = new NetList()
  for (let net = 0; net < counts.length; net++)
    for (let at = netOffsets[net] + 1; at < netOffsets[net + 1]; at++)
      edges.add([pins[netOffsets[net]], pins[at]], counts[net])
  return edges.over(loads)
}

/**
 * An edge to each of the nearest agents, worth the time that all its pages save against the next agent (S10). After a crawl
 * by hash one agent has measured a site; what others measured of its address, or of its block of addresses, is as good.
 */
export function rttGraph({ sites }: LearnedWeb, agents: readonly string[], loads: Float64Array): Hypergraph {
  const edges = new NetList()
  const timeOf = connectTimes(sites, agents)
  for (const v of sites.keys()) {
    const known = agents.flatMap((_, agent) => {
      const ms = timeOf(v, agent)
      return ms === undefined ? [] : [{ agent, ms }]
    })
    if (known.length < 2) continue
    known.sort((a, b) => a.ms - b.ms)
    const else_ = known[Math.min(NEAR_AGENTS, known.length - 1)].ms
    for (const { agent, ms } of known.slice(0, NEAR_AGENTS))
      edges.add([v, sites.length + agent], loads[v] * (else_ - ms))
  }
  return edges.over(loads)
}

/** From each agent to each site: as measured, or else to its address, or to its block of addresses. */
export function connectTimes(
  sites: readonly Site[],
  agents: readonly string[],
): (v: number, agent: number) => number | undefined {
  const byAddress = new LeastTimes(sites, ({ addresses }) => addresses[0] ?? null)
  const byBlock = new LeastTimes(sites, ({ addresses }) => blockOf(addresses[0] ?? ''))
  return (v, agent) => {
    const name = agents[agent]
    return sites[v].connectMs[name] ?? byAddress.of(sites[v], name) ?? byBlock.of(sites[v], name)
  }
}

type Site = LearnedWeb['sites'][number]

/** The least time of each agent to any of the sites of one place. */
class LeastTimes {
  readonly #placeOf: (site: Site) => string | null
  readonly #times = new Map<string, Map<string, number>>()

  constructor(sites: readonly Site[], placeOf: (site: Site) => string | null) {
    this.#placeOf = placeOf
    for (const site of sites) {
      const place = placeOf(site)
      if (place === null) continue
      const times = this.#times.get(place) ?? new Map<string, number>()
      this.#times.set(place, times)
      for (const [name, ms] of Object.entries(site.connectMs))
        times.set(name, Math.min(ms, times.get(name) ?? ms))
    }
  }

  of(site: Site, agent: string): number | undefined {
    return this.#times.get(this.#placeOf(site) ?? '')?.get(agent)
  }
}

/** Sites that are named on the same page. */
export function similarityGraph({ netOffsets, pins, counts }: LearnedWeb, loads: Float64Array): Hypergraph {
  const edges = new NetList()
  for (let net = 0; net < counts.length; net++) {
    const alike = pins.subarray(netOffsets[net] + 1, netOffsets[net + 1])
    if (alike.length <= MOST_ALIKE) edges.add([...alike], counts[net])
  }
  return edges.over(loads)
}

/** A net of the sites of a country, and one of those of an address block: /16, or /32 of IPv6. */
export function geographyGraph({ sites }: LearnedWeb, loads: Float64Array): Hypergraph {
  const places = new Map<string, number[]>()
  for (const [v, { site, addresses }] of sites.entries())
    for (const place of [countryOf(site), blockOf(addresses[0] ?? '')]) {
      if (place === null) continue
      const known = places.get(place)
      if (known) known.push(v)
      else places.set(place, [v])
    }
  const nets = new NetList()
  for (const members of places.values()) nets.add(members, members.length)
  return nets.over(loads)
}

/** The country code at its end; null where there is none. */
function countryOf(site: string): string | null {
  return /\.([a-z]{2})(?::\d+)?$/.exec(site)?.[1] ?? null
}

function blockOf(address: string): string | null {
  const four = /^(\d+\.\d+)\.\d+\.\d+$/.exec(address)
  if (four) return four[1]
  return /^([0-9a-f]+:[0-9a-f]+):/i.exec(address)?.[1] ?? null
}
