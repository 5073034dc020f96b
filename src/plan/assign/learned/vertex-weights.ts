/**
 * What has to be even, apart from pages: vertices, or fetches of pages that change. `groups`: sites that stay
 * together.
 */
import type { LearnedWeb } from './learned-web.js'

/**
 * S5: in the RTT graph all vertices weigh the same, whether they are sites or addresses; agents weigh
 * nothing.
 */
export function equalWeights(groups: Int32Array, agents: number): Float64Array {
  const weights = new Float64Array(groups.length + agents)
  const counted = new Set<number>()
  // Whole numbers: the partitioner knows how evenly these can be shared.
  for (const [v, group] of groups.entries()) {
    if (!counted.has(group)) weights[v] = 1
    counted.add(group)
  }
  return weights
}

/**
 * Pages of each site that have changed when it is asked for again, as far as that is known; agents have none.
 */
export function visitsOf({ sites }: LearnedWeb, agents: number): Float64Array {
  const visits = new Float64Array(sites.length + agents)
  for (const [v, { pages, checked, changed }] of sites.entries())
    visits[v] = checked > 0 ? pages * (changed / checked) : 0
  return visits
}

/**
 * How much more than its share of the visits a part may have. Where the sites of one vertex have more than a
 * part's share, no part needs to have less than they: otherwise the agent with one page that changes all the
 * time would get nothing else.
 */
export function visitSlack(
  visits: Float64Array,
  groups: Int32Array,
  shares: readonly number[],
  epsilon: number,
): number {
  const ofGroup = new Map<number, number>()
  for (const [v, group] of groups.entries()) ofGroup.set(group, (ofGroup.get(group) ?? 0) + visits[v])
  let heaviest = 0
  for (const own of ofGroup.values()) heaviest = Math.max(heaviest, own)
  const largest = Math.max(...shares) / sum(shares)
  return Math.max(epsilon, ((1 + epsilon) * heaviest) / (sum(visits) * largest) - 1)
}

function sum(values: Iterable<number>): number {
  let total = 0
  for (const value of values) total += value
  return total
}
