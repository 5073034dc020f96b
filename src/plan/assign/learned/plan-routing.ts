/**
 * Makes a routing table from what was learned (H2-H6). Sites are vertices that weigh bytes and pages; the
 * links of a page (or of all pages of a site) to other sites are a net; parts are as large as the shares of
 * the agents. Sites that share a politeness turn stay together, because two agents would only wait for each
 * other.
 */

import type { NetKind } from '../../../config/index.js'
import { type Grouping, groupOf } from '../../../model/index.js'
import { partition } from '../../partition/index.js'
import { type Hypergraph, messagesOf, type Partition, type PresetName } from '../../partition/state/index.js'
import { Rendezvous } from '../simple/index.js'
import { isPiece, weightsOf } from './cut-web.js'
import type { LearnedWeb } from './learned-web.js'
import { type Route, RoutingTable } from './routing-table.js'
import { netsBy } from './site-nets.js'

export interface RoutingRequest {
  /** One per part, in any unit. */
  readonly shares: readonly number[]
  readonly grouping: Grouping
  readonly seed: number
  /** Whether messages of pages or of sites are minimised (page). */
  readonly nets?: NetKind
  /** The table has the costs of moving a site, which only `hybrid` needs. */
  readonly hasPulls?: boolean
}

interface Messages {
  /** Distinct (source page, part) and (source site, part) pairs with a part other than the site's own. */
  readonly messages: number
  readonly coalescedMessages: number
}

export interface RoutingPlan {
  readonly table: RoutingTable
  /** Messages for the links of the earlier crawl, with this table and by hash. */
  readonly predicted: Messages
  readonly byHash: Messages
  /**
   * Heaviest part over its target, minus 1, in bytes and pages; and a lower bound of it for any partition.
   */
  readonly imbalance: readonly number[]
  readonly imbalanceBound: readonly number[]
  /** Sites that are heavier than a part. */
  readonly heavySites: readonly string[]
}

/** A part may exceed its target by this share. */
export const EPSILON = 0.05
/** With more pins the `fast` preset is used, because the crawl waits for the plan. */
const MANY_PINS = 1_000_000
/** For `hybrid`, the table keeps this many parts of a site: those it has most links with. */
const MOST_PULLS = 4

/** Returns the plan, or the reason why there is none. */
export function planRouting(learned: LearnedWeb, request: RoutingRequest): RoutingPlan | string {
  const { shares, grouping, seed, nets = 'page', hasPulls = false } = request
  const k = shares.length
  const groups = groupsOf(learned, grouping)
  const count = groups.reduce((most, group) => Math.max(most, group + 1), 0)
  if (count < k) return `${count} known sites or groups of sites are too few for ${k} agents`
  const web = netsBy(nets, learned)
  const found = partition({
    hypergraph: hypergraphOf(web),
    k,
    epsilons: [EPSILON, EPSILON],
    preset: presetFor(web),
    seed,
    targets: shares,
    groups,
  })
  return routingPlan(learned, shares, found, hasPulls)
}

export function presetFor({ pins }: LearnedWeb): PresetName {
  return pins.length > MANY_PINS ? 'fast' : 'default'
}

/** The fields of a partition that a routing table needs. */
export type FoundParts = Pick<Partition, 'parts' | 'imbalance' | 'imbalanceBound' | 'heavyVertices'>

/**
 * A routing table of a partition, with its figures. Messages are counted by pages, whatever the nets were.
 */
export function routingPlan(
  learned: LearnedWeb,
  shares: readonly number[],
  found: FoundParts,
  hasPulls = false,
): RoutingPlan {
  const k = shares.length
  const hypergraph = hypergraphOf(learned)
  return {
    table: tableOf(learned, k, found, hasPulls),
    predicted: messagesOf(hypergraph, k, found.parts),
    byHash: messagesByHash(learned, shares),
    imbalance: found.imbalance,
    imbalanceBound: found.imbalanceBound,
    heavySites: found.heavyVertices.map(v => learned.sites[v].site),
  }
}

export function messagesByHash(learned: LearnedWeb, shares: readonly number[]): Messages {
  return messagesOf(hypergraphOf(learned), shares.length, hashedParts(learned, shares))
}

export function hypergraphOf({ sites, netOffsets, pins, counts }: LearnedWeb): Hypergraph {
  const vertexWeights = new Float64Array(2 * sites.length)
  for (const [v, site] of sites.entries()) vertexWeights.set(weightsOf(site), 2 * v)
  return {
    vertexCount: sites.length,
    netCount: counts.length,
    netOffsets,
    pins,
    netCosts: counts,
    constraintCount: 2,
    vertexWeights,
  }
}

export function groupsOf({ sites }: LearnedWeb, grouping: Grouping): Int32Array {
  const numbers = new Map<string, number>()
  return Int32Array.from(sites, ({ site }) => {
    // Pieces share the turn of their site, but they were made to be in different parts.
    const group = isPiece(site) ? site : groupOf(site, grouping)
    const known = numbers.get(group) ?? numbers.size
    numbers.set(group, known)
    return known
  })
}

export function hashedParts({ sites }: LearnedWeb, shares: readonly number[]): Int32Array {
  const draw = new Rendezvous()
  draw.meet(
    shares.map((capacity, part) => ({
      name: `agent-${part + 1}`,
      incarnation: part,
      lanes: 1,
      freeLanes: 1,
      held: 0,
      busyLanes: [],
      capacity,
    })),
  )
  return Int32Array.from(sites, ({ site }) => draw.winnerOf(site)!.incarnation)
}

export function tableOf(
  learned: LearnedWeb,
  k: number,
  { parts }: Pick<FoundParts, 'parts'>,
  hasPulls: boolean,
): RoutingTable {
  const pulls = hasPulls ? pullsOf(learned, parts) : null
  const routes = learned.sites.map(({ site }, v): Route => {
    const part = parts[v]
    return pulls === null ? { site, part } : { site, part, pulls: strongest(pulls[v], part) }
  })
  return RoutingTable.of(k, routes)
}

/** For each site, the number of pages that link it with each part. */
function pullsOf({ sites, netOffsets, pins, counts }: LearnedWeb, parts: Int32Array): Map<number, number>[] {
  const pulls = sites.map(() => new Map<number, number>())
  const add = (v: number, part: number, pages: number) =>
    pulls[v].set(part, (pulls[v].get(part) ?? 0) + pages)
  for (let net = 0; net < counts.length; net++) {
    const source = pins[netOffsets[net]]
    for (let at = netOffsets[net] + 1; at < netOffsets[net + 1]; at++) {
      add(source, parts[pins[at]], counts[net])
      add(pins[at], parts[source], counts[net])
    }
  }
  return pulls
}

/** The parts with most links. A site's own part is among them, because a move loses its links. */
function strongest(pulls: ReadonlyMap<number, number>, own: number): [number, number][] {
  const others = [...pulls].filter(([part]) => part !== own).sort((a, b) => b[1] - a[1] || a[0] - b[0])
  const kept = others.slice(0, MOST_PULLS - 1)
  return pulls.has(own) ? [[own, pulls.get(own)!], ...kept] : kept
}
