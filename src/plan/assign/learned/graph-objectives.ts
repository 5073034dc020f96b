/**
 * The learned web as graphs over the same vertices: first the sites, then one vertex for each agent, which is
 * pinned to the agent's part (S7). The partitioner cuts light edges, so distances are turned into weights
 * that are larger for nearer pairs.
 */
import { addTo } from '../../../model/index.js'
import type { Hypergraph } from '../../partition/state/index.js'
import type { LearnedWeb } from './learned-web.js'
import { NetList } from './net-list.js'
import { blockOf, countryOf, LeastTimes } from './places.js'
import { similarSites } from './similar-sites.js'

/** Each site gets edges to this many nearest agents. */
const NEAR_AGENTS = 3

/** The pages of each site; agents weigh nothing. */
export function loadsOf({ sites }: LearnedWeb, agents: number): Float64Array {
  const loads = new Float64Array(sites.length + agents)
  for (const [v, { pages }] of sites.entries()) loads[v] = Math.max(1, pages)
  return loads
}

/** The link graph. `weights` has one number for each vertex and constraint. */
export function linkGraph(
  { netOffsets, pins, counts }: LearnedWeb,
  weights: Float64Array,
  constraintCount: number,
): Hypergraph {
  const edges = new NetList()
  for (let net = 0; net < counts.length; net++)
    for (let at = netOffsets[net] + 1; at < netOffsets[net + 1]; at++)
      edges.add([pins[netOffsets[net]], pins[at]], counts[net])
  return edges.hypergraph(weights, constraintCount)
}

/**
 * The RTT graph: an edge to each of the nearest agents (S4). Its weight is the time that all fetches save
 * against the next nearest agent.
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
    const otherwiseMs = known[Math.min(NEAR_AGENTS, known.length - 1)].ms
    for (const { agent, ms } of known.slice(0, NEAR_AGENTS))
      edges.add([v, sites.length + agent], fetches[v] * (otherwiseMs - ms))
  }
  return edges.hypergraph(fetches, 1)
}

/**
 * The time to connect from each agent to each site. After a crawl by hash only one agent has measured a site,
 * so times to the same address or the same block of addresses count too.
 */
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

/** Edges between sites with similar words. */
export function similarityGraph({ sites }: LearnedWeb, weights: Float64Array): Hypergraph {
  const edges = new NetList()
  for (const { a, b, likeness } of similarSites(sites.map(({ words }) => words))) edges.add([a, b], likeness)
  return edges.hypergraph(weights, 1)
}

/** A net for the sites of each country, and one for those of each address block: /16, or /32 for IPv6. */
export function geographyGraph({ sites }: LearnedWeb, weights: Float64Array): Hypergraph {
  const places = new Map<string, number[]>()
  for (const [v, { site, addresses }] of sites.entries())
    for (const place of [countryOf(site), blockOf(addresses[0] ?? '')])
      if (place !== null) addTo(places, place, v)
  const nets = new NetList()
  for (const members of places.values()) nets.add(members, members.length)
  return nets.hypergraph(weights, 1)
}
