/** Measures a partition of a site graph by both kinds of messages and both weights. */

import { fingerprint, takeFingerprint } from '../../src/model/bytes/index.js'
import { partition } from '../../src/plan/partition/index.js'
import { imbalanceOf, messagesOf, type PresetName } from '../../src/plan/partition/state/index.js'
import type { SiteGraph } from './site-graph.js'

export interface Cell {
  /** Distinct (page, other part) pairs and distinct (site, other part) pairs. */
  readonly pageMessages: number
  readonly coalescedMessages: number
  /** The heaviest part over the mean, minus 1, in bytes and in pages. */
  readonly imbalance: readonly number[]
}

/** The hypergraphs in which messages are counted. */
type Judged = Pick<SiteGraph, 'byPage' | 'bySite'>

export const EPSILON = 0.05
/** Tolerance for rounding. */
const SLACK = 1e-9
/** Each attempt allows less imbalance; the first is nearly always enough. */
const ATTEMPTS = 4

export interface Bounded extends Cell {
  /** A lower bound of the imbalance for any partition. */
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
    // A site that outweighs a part in one weight leaves fewer parts for the other sites, and so less room.
    epsilons = epsilons.map((epsilon, r) => Math.max(0, epsilon - Math.max(0, over[r])))
  }
}

/** Whether both weights are within 5 %, or at the lower bound if a heavy site forbids that. */
export function isBalanced({ imbalance, bound }: Bounded): boolean {
  return imbalance.every((value, r) => value <= Math.max(EPSILON, bound[r]) + SLACK)
}

export function judged({ byPage }: Judged, k: number, parts: Int32Array): Cell {
  const { messages, coalescedMessages } = messagesOf(byPage, k, parts)
  const imbalance = imbalanceOf(byPage, parts, new Array<number>(k).fill(1 / k))
  return { pageMessages: messages, coalescedMessages, imbalance }
}

/** The hash of each site's name; its part is the remainder by K. */
export function siteHashes(sites: number): Uint32Array {
  const hashes = new Uint32Array(sites)
  for (let site = 0; site < sites; site++) {
    takeFingerprint(`site-${site}.test`)
    hashes[site] = fingerprint.low
  }
  return hashes
}

export function hashParts(hashes: Uint32Array, k: number): Int32Array {
  return Int32Array.from(hashes, hash => hash % k)
}
