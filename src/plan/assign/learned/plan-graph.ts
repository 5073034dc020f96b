/**
 * The plan of the `graph` assignment: the link graph and graphs of other objectives over sites or addresses,
 * each with a factor p_i, and one pinned vertex for each agent. The result is a part for each site, and a
 * routing table.
 */

import type { GraphWeights } from '../../../config/index.js'
import type { Grouping } from '../../../model/index.js'
import {
  type CombinedPartition,
  type Objective,
  partition,
  partitionObjectives,
} from '../../partition/index.js'
import type { Partition, PresetName } from '../../partition/state/index.js'
import { geographyGraph, linkGraph, loadsOf, nearGraph, similarityGraph } from './graph-objectives.js'
import type { LearnedWeb } from './learned-web.js'
import { EPSILON, groupsOf, presetFor, type RoutingPlan, routingPlan } from './plan-routing.js'
import { equalWeights, visitSlack, visitsOf } from './vertex-weights.js'

export interface GraphRequest {
  /** Names of the agents, one per part; their measured times are stored under these names. */
  readonly agents: readonly string[]
  /** One per part, in any unit. */
  readonly shares: readonly number[]
  readonly grouping: Grouping
  /** `address`: the sites of one address are one vertex. */
  readonly vertices: 'site' | 'address'
  readonly weights: GraphWeights
  readonly seed: number
  /** A part may exceed its target by this share. */
  readonly epsilon?: number
  readonly preset?: PresetName
  /** The present part of each site, -1 for new sites, and the cost of moving a page, in links. */
  readonly previous?: Int32Array
  readonly migrationWeight?: number
  /** With addresses as vertices: the sites of an address that outweighs a part are vertices of their own. */
  readonly dividesHeavyAddresses?: boolean
}

export interface GraphParts {
  /** The part of each site. */
  readonly parts: Int32Array
  /** The imbalance of pages; with `change` also that of fetches of changed pages. */
  readonly imbalance: readonly number[]
  readonly imbalanceBound: readonly number[]
  readonly heavyVertices: readonly number[]
  readonly objectives: readonly ObjectiveFigures[]
}

/** The result for one objective, in its own unit. Objectives without data are left out. */
interface ObjectiveFigures {
  readonly name: keyof GraphWeights
  /** p_i. */
  readonly factor: number
  /** ec_i: the cut if this is the only objective. */
  readonly alone: number
  /** The cut of the combined partition. */
  readonly cut: number
}

export interface GraphPlan extends RoutingPlan {
  readonly objectives: readonly ObjectiveFigures[]
}

/** Returns the plan, or the reason why there is none. */
export function planGraph(learned: LearnedWeb, request: GraphRequest): GraphPlan | string {
  const found = graphParts(learned, { ...request, dividesHeavyAddresses: true })
  if (typeof found === 'string') return found
  return { ...routingPlan(learned, request.shares, found), objectives: found.objectives }
}

export function graphParts(learned: LearnedWeb, request: GraphRequest): GraphParts | string {
  const { shares, seed } = request
  const k = shares.length
  const { groups, count } = vertexGroups(learned, request, k)
  if (count < k) return `${count} known sites or groups of sites are too few for ${k} agents`
  const { objectives, epsilons } = objectivesOf(learned, groups, request)
  const ends = new Int32Array(k).fill(-1)
  const sites = learned.sites.length
  const asked = {
    hypergraph: objectives[0].hypergraph,
    k,
    epsilons,
    preset: request.preset ?? presetFor(learned),
    seed,
    targets: shares,
    // One agent in each part.
    fixed: joined(
      new Int32Array(sites).fill(-1),
      ends.map((_, agent) => agent),
    ),
    groups: joined(groups, ends),
    ...(request.previous && {
      previous: joined(request.previous, ends),
      migrationWeight: request.migrationWeight ?? 0,
      migrationConstraint: PAGES,
    }),
  } as const
  const found = objectives.length === 1 ? alone(partition(asked)) : partitionObjectives(objectives, asked)
  const figures = objectives.map(({ name, weight }, i) => ({
    name,
    factor: weight,
    alone: found.objectives[i].alone,
    cut: found.objectives[i].km1,
  }))
  return { ...found, parts: found.parts.slice(0, sites), objectives: figures }
}

function alone(found: Partition): CombinedPartition {
  return { ...found, objectives: [{ alone: found.km1, km1: found.km1 }] }
}

type NamedObjective = Objective & { readonly name: keyof GraphWeights }

interface Objectives {
  /** The first is always the links; the others are scaled by it. */
  readonly objectives: readonly NamedObjective[]
  /** For the vertex weights of the link graph, which are those of the result. */
  readonly epsilons: readonly number[]
}

/**
 * Each objective balances its own vertex weights when it is partitioned alone. `change` adds a second weight
 * beside the pages: repeated fetches are a load too, and are shared evenly as well.
 */
function objectivesOf(learned: LearnedWeb, groups: Int32Array, request: GraphRequest): Objectives {
  const { agents, shares, weights, epsilon = EPSILON } = request
  const k = shares.length
  const loads = loadsOf(learned, k)
  const visits = visitsOf(learned, k)
  const hasVisits = weights.change > 0 && visits.some(visit => visit > 0)
  // With a small factor the balance may be worse.
  const slack = hasVisits ? visitSlack(visits, groups, shares, epsilon / Math.min(1, weights.change)) : 0
  const byPages = { vertexWeights: loads, epsilon }
  const byVertices = { vertexWeights: equalWeights(groups, k), epsilon }
  const byVisits = { vertexWeights: visits, epsilon: slack }
  const links = linkGraph(learned, hasVisits ? interleaved(loads, visits) : loads, hasVisits ? 2 : 1)
  const graphs = [
    { name: 'rtt', make: () => nearGraph(learned, agents, loads), alone: byVertices },
    { name: 'change', make: () => nearGraph(learned, agents, visits), alone: byVisits },
    { name: 'similarity', make: () => similarityGraph(learned, loads), alone: byPages },
    { name: 'geography', make: () => geographyGraph(learned, loads), alone: byPages },
  ] as const
  const others = graphs
    .filter(({ name }) => weights[name] > 0)
    .map(({ name, make, alone }) => ({ name, weight: weights[name], hypergraph: make(), alone }))
  const weight = Math.max(weights.links, LEAST_LINKS)
  return {
    objectives: [
      { name: 'links', weight, hypergraph: links, alone: byPages },
      ...others.filter(({ hypergraph }) => hypergraph.netCount > 0),
    ],
    epsilons: hasVisits ? [epsilon, slack] : [epsilon],
  }
}

/** The index of the pages among the weights of a vertex. */
const PAGES = 0

function interleaved(first: Float64Array, second: Float64Array): Float64Array {
  const both = new Float64Array(2 * first.length)
  for (const [v, weight] of first.entries()) {
    both[2 * v + PAGES] = weight
    both[2 * v + 1] = second[v]
  }
  return both
}

/** With a weight of 0 there would be no scale for the other objectives. */
const LEAST_LINKS = 1e-6

/** Groups of sites that stay together, by number, and the number of groups. */
function vertexGroups(
  learned: LearnedWeb,
  { grouping, vertices, dividesHeavyAddresses = false }: GraphRequest,
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
  const heavy = dividesHeavyAddresses ? heavyAddresses(learned, k) : new Set()
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

/** Addresses with more pages than a part. */
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
