/** One cell of the table: a partition of a site graph, judged by both counts of messages and both weights. */

import { partition } from '../../src/plan/partition/index.js'
import { imbalanceOf, messagesOf, type PresetName } from '../../src/plan/partition/state/index.js'
import type { SiteGraph } from './site-graph.js'

export interface Cell {
  /** Distinct (page, other part) and distinct (site, other part). */
  readonly pageMessages: number
  readonly coalescedMessages: number
  /** Of bytes and of pages: the heaviest part over the mean, minus 1. */
  readonly imbalance: readonly number[]
}

/** What is counted in. */
type Judged = Pick<SiteGraph, 'byPage' | 'bySite'>

export const EPSILON = 0.05
/** Rounding of sums. */
const SLACK = 1e-9
/** Each time with less room; the first is nearly always enough. */
const ATTEMPTS = 4

export interface Bounded extends Cell {
  /** What no partition can go below in each weight. */
  readonly bound: readonly number[]
}

export function ours(
  graph: Judged,
  nets: 'byPage' | 'bySite',
  k: number,
  preset: PresetName,
  seed: number,
): Bounded {
  let epsilons = [EPSILON, EPSILON]
  for (let attempt = 1; ; attempt++) {
    const { parts, imbalance, imbalanceBound } = partition({
      hypergraph: graph[nets],
      k,
      epsilons,
      preset,
      seed,
    })
    const cell = { ...judged(graph, k, parts), bound: imbalanceBound }
    const over = imbalance.map((value, r) => value - Math.max(EPSILON, imbalanceBound[r]))
    if (attempt === ATTEMPTS || over.every(value => value <= SLACK)) return cell
    // A site that outweighs a part in one weight leaves the others fewer parts, and so less room, in the
    // other weight.
    epsilons = epsilons.map((epsilon, r) => Math.max(0, epsilon - Math.max(0, over[r])))
  }
}

/** Both weights within 5 %, or where a heavy site forbids that, at the least that is possible. */
export function isBalanced({ imbalance, bound }: Bounded): boolean {
  return imbalance.every((value, r) => value <= Math.max(EPSILON, bound[r]) + SLACK)
}

export function judged({ byPage }: Judged, k: number, parts: Int32Array): Cell {
  const { messages, coalescedMessages } = messagesOf(byPage, k, parts)
  const imbalance = imbalanceOf(byPage, parts, new Array<number>(k).fill(1 / k))
  return { pageMessages: messages, coalescedMessages, imbalance }
}
