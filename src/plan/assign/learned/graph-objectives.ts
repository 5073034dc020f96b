/**
 * What was learned, as graphs over the same vertices (S4, S5, S17): sites first, then a vertex for each
 * agent, which is pinned to its part (S7). A cut removes what is light, so a distance is turned into nearness
 * before it becomes the weight of an edge.
 */
import type { Hypergraph } from '../../partition/state/index.js'
import type { LearnedWeb } from './learned-web.js'
import { blockOf, countryOf, LeastTimes } from './places.js'
import { similarSites } from './similar-sites.js'

/** Of a site, joined with it: to be near one of these is as good as it gets. */
const NEAR_AGENTS = 3

/** Edges are added one by one; equal ones are merged by the partitioner. */
class NetList {
  readonly #offsets: number[] = [0]
  readonly #pins: number[] = []
  readonly #costs: number[] = []

  add(pins: readonly number[], cost: number): void {
    if (!(cost > 0) || pins.length < 2) return
    for (const pin of pins) this.#pins.push(pin)
    this.#offsets.push(this.#pins.length)
    this.#costs.push(cost)
  }

  over(vertexWeights: Float64Array, constraintCount = 1): Hypergraph {
    return {
      vertexCount: vertexWeights.length / constraintCount,
      netCount: this.#costs.length,
      netOffsets: Uint32Array.from(this.#offsets),
      pins: Uint32Array.from(this.#pins),
      netCosts: Float64Array.from(this.#costs),
      constraintCount,
      vertexWeights,
    }
  }
}

/** Pages; agents weigh nothing. */
export function loadsOf({ sites }: LearnedWeb, agents: number): Float64Array {
  const loads = new Float64Array(sites.length + agents)
  for (const [v, { pages }] of sites.entries()) loads[v] = Math.max(1, pages)
  return loads
}

/** `weights` has as many numbers for each vertex as there are constraints. */
export function linkGraph(
  { netOffsets, pins, counts }: LearnedWeb,
  weights: Float64Array,
  constraintCount: number,
): Hypergraph {
  const edges = new NetList()
  for (let net = 0; net < counts.length; net++)
    for (let at = netOffsets[net] + 1; at < netOffsets[net + 1]; at++)
      edges.add([pins[netOffsets[net]], pins[at]], counts[net])
  return edges.over(weights, constraintCount)
}

/**
 * An edge to each of the nearest agents, worth the time that all fetches save against the next agent (S10).
 * After a crawl by hash one agent has measured a site; what others measured of its address, or of its block
 * of addresses, is as good.
 */
export function nearGraph(
  { sites }: LearnedWeb,
  agents: readonly string[],
  fetches: Float64Array,
): Hypergraph {
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
      edges.add([v, sites.length + agent], fetches[v] * (else_ - ms))
  }
  return edges.over(fetches)
}

/** From each agent to each site: as measured, or else to its address, or to its block of addresses. */
export function connectTimes(
  sites: LearnedWeb['sites'],
  agents: readonly string[],
): (v: number, agent: number) => number | undefined {
  const byAddress = new LeastTimes(sites, ({ addresses }) => addresses[0] ?? null)
  const byBlock = new LeastTimes(sites, ({ addresses }) => blockOf(addresses[0] ?? ''))
  return (v, agent) => {
    const name = agents[agent]
    return sites[v].connectMs[name] ?? byAddress.of(sites[v], name) ?? byBlock.of(sites[v], name)
  }
}

/** Sites with the same words (S17). */
export function similarityGraph({ sites }: LearnedWeb, weights: Float64Array): Hypergraph {
  const edges = new NetList()
  for (const { a, b, likeness } of similarSites(sites.map(({ words }) => words))) edges.add([a, b], likeness)
  return edges.over(weights)
}

/** A net of the sites of a country, and one of those of an address block: /16, or /32 of IPv6. */
export function geographyGraph({ sites }: LearnedWeb, weights: Float64Array): Hypergraph {
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
  return nets.over(weights)
}
