/** Vertex weights besides pages. `groups` numbers the sites that stay together. */
import { sum } from '../../../model/index.js'
import type { LearnedWeb } from './learned-web.js'

/** The weights of the RTT graph: each site or address weighs 1, agents weigh nothing. */
export function equalWeights(groups: Int32Array, agents: number): Float64Array {
  const weights = new Float64Array(groups.length + agents)
  const counted = new Set<number>()
  // Integers, because the partitioner computes exactly how evenly those can be shared.
  for (const [v, group] of groups.entries()) {
    if (!counted.has(group)) weights[v] = 1
    counted.add(group)
  }
  return weights
}

/** The expected number of changed pages of each site in the next crawl; agents have none. */
export function visitsOf({ sites }: LearnedWeb, agents: number): Float64Array {
  const visits = new Float64Array(sites.length + agents)
  for (const [v, { pages, checked, changed }] of sites.entries())
    visits[v] = checked > 0 ? pages * (changed / checked) : 0
  return visits
}

/**
 * The tolerance for the visits of a part. If one vertex has more visits than a part should have, each part
 * may have as many as that vertex: otherwise the agent with one page that changes all the time would get
 * nothing else.
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
