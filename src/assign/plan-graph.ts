/**
 * The `graph` assignment's plan (S): link graph and RTT graph over sites or addresses, combined by p_i, one pinned vertex for
 * each agent; out comes a part for each site, and a routing table.
 */
import type { Grouping } from '../model/cell.js'
import { type Objective, type PresetName, partition, partitionObjectives } from '../partition/index.js'
import {
  type GraphWeights,
  geographyGraph,
  linkGraph,
  loadsOf,
  rttGraph,
  similarityGraph,
} from './graph-objectives.js'
import type { LearnedWeb } from './learned-web.js'
import { groupsOf, type RoutingPlan, routingPlan } from './plan-routing.js'

export interface GraphRequest {
  /** Names of the agents, one per part: what they measured is known by them. */
  readonly agents: readonly string[]
  /** One per part, in any unit. */
  readonly shares: readonly number[]
  readonly grouping: Grouping
  /** `address`: sites of one address are one vertex (S9). */
  readonly vertices: 'site' | 'address'
  readonly weights: GraphWeights
  readonly seed: number
  /** How much more than its share a part may have. */
  readonly epsilon?: number
  readonly preset?: PresetName
  /** The part of each site before, -1 for new ones, and what it costs to move a page, in links. */
  readonly previous?: Int32Array
  readonly migrationWeight?: number
  /** Sites of an address that outweighs a part (a CDN, a test on one machine) are vertices of their own. */
  readonly takesApart?: boolean
}

export interface GraphParts {
  /** Of each site. */
  readonly parts: Int32Array
  readonly imbalance: readonly number[]
  readonly imbalanceBound: readonly number[]
  readonly heavyVertices: readonly number[]
}

const EPSILON = 0.05
const MANY_PINS = 1_000_000

/** The plan, or in one line why there can be none. */
export function planGraph(learned: LearnedWeb, request: GraphRequest): RoutingPlan | string {
  const found = graphParts(learned, { ...request, takesApart: true })
  return typeof found === 'string' ? found : routingPlan(learned, request.shares, found)
}

export function graphParts(learned: LearnedWeb, request: GraphRequest): GraphParts | string {
  const { agents, shares, weights, seed, epsilon = EPSILON } = request
  const k = shares.length
  const { groups, count } = vertexGroups(learned, request, k)
  if (count < k) return `${count} known sites or groups of sites are too few for ${k} agents`
  const loads = loadsOf(learned, k, weights.change)
  const objectives = objectivesOf(learned, agents, loads, weights)
  const ends = new Int32Array(k).fill(-1)
  const sites = learned.sites.length
  const asked = {
    hypergraph: objectives[0].hypergraph,
    k,
    epsilons: [epsilon],
    preset: request.preset ?? (learned.pins.length > MANY_PINS ? 'fast' : 'default'),
    seed,
    targets: shares,
    // Exactly one agent in each part (S7).
    fixed: joined(
      new Int32Array(sites).fill(-1),
      ends.map((_, agent) => agent),
    ),
    groups: joined(groups, ends),
    ...(request.previous && {
      previous: joined(request.previous, ends),
      migrationWeight: request.migrationWeight ?? 0,
    }),
  }
  const found = objectives.length === 1 ? partition(asked) : partitionObjectives(objectives, asked)
  return { ...found, parts: found.parts.slice(0, sites) }
}

/** Links are always there, the first of them: the others are measured by them. */
function objectivesOf(
  learned: LearnedWeb,
  agents: readonly string[],
  loads: Float64Array,
  weights: GraphWeights,
): Objective[] {
  const graphs = [
    { weight: weights.rtt, make: () => rttGraph(learned, agents, loads) },
    { weight: weights.similarity, make: () => similarityGraph(learned, loads) },
    { weight: weights.geography, make: () => geographyGraph(learned, loads) },
  ]
  const others = graphs
    .filter(({ weight }) => weight > 0)
    .map(({ weight, make }) => ({ weight, hypergraph: make() }))
  const known = others.filter(({ hypergraph }) => hypergraph.netCount > 0)
  return [{ weight: Math.max(weights.links, LEAST_LINKS), hypergraph: linkGraph(learned, loads) }, ...known]
}

/** A weight of 0 would leave nothing to measure the others by. */
const LEAST_LINKS = 1e-6

/** Numbers of the groups whose sites stay together, and how many there are. */
function vertexGroups(
  learned: LearnedWeb,
  { grouping, vertices, takesApart = false }: GraphRequest,
  k: number,
): { groups: Int32Array; count: number } {
  const polite = groupsOf(learned, grouping)
  const leader = polite.map((_, group) => group)
  const find = (group: number): number => {
    let at = group
    while (leader[at] !== at) {
      leader[at] = leader[leader[at]]
      at = leader[at]
    }
    return at
  }
  const heavy = takesApart ? heavyAddresses(learned, k) : new Set()
  const byAddress = new Map<string, number>()
  for (const [v, { addresses }] of learned.sites.entries()) {
    const address = addresses[0]
    if (vertices !== 'address' || address === undefined || heavy.has(address)) continue
    const known = byAddress.get(address)
    if (known === undefined) byAddress.set(address, polite[v])
    else leader[find(polite[v])] = find(known)
  }
  const groups = polite.map(find)
  return { groups, count: new Set(groups).size }
}

/** Those with more pages than a part. */
function heavyAddresses({ sites }: LearnedWeb, k: number): ReadonlySet<string> {
  const pagesOf = new Map<string, number>()
  let all = 0
  for (const { addresses, pages } of sites) {
    all += pages
    const [address] = addresses
    if (address !== undefined) pagesOf.set(address, (pagesOf.get(address) ?? 0) + pages)
  }
  return new Set([...pagesOf].filter(([, pages]) => pages * k > all).map(([address]) => address))
}

function joined(sites: Int32Array, agents: Int32Array): Int32Array {
  const all = new Int32Array(sites.length + agents.length)
  all.set(sites)
  all.set(agents, sites.length)
  return all
}
