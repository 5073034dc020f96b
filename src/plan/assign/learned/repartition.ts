/**
 * Computes whether the waiting sites would be better placed otherwise, by what the crawl has learned so far.
 * The remaining work is partitioned again from the present placement, with the cost of moving sites; with
 * `graph`, by all of its objectives. The times of both placements are predicted (`predict-times.ts`).
 */

import type { GraphSettings, NetKind } from '../../../config/index.js'
import { type Grouping, LIMITS, type Millis } from '../../../model/index.js'
import { partition } from '../../partition/index.js'
import type { Hypergraph, PresetName } from '../../partition/state/index.js'
import type { LearnedWeb } from './learned-web.js'
import { graphParts } from './plan-graph.js'
import { EPSILON, type FoundParts, groupsOf, type RoutingPlan, routingPlan } from './plan-routing.js'
import {
  isAskedBack,
  isMoved,
  type PlacedAgent,
  PredictedTimes,
  type Prediction,
  placeOf,
  type SiteLeft,
} from './predict-times.js'
import { netsBy } from './site-nets.js'

export interface RepartitionRequest {
  /** One for each part. */
  readonly agents: readonly PlacedAgent[]
  readonly left: readonly SiteLeft[]
  /** The politeness delay. */
  readonly delayMs: Millis
  readonly grouping: Grouping
  readonly seed: number
  /** The settings of the `graph` assignment; null for other assignments. */
  readonly graph: GraphSettings | null
  /** Chosen by the size of the web if absent. */
  readonly preset?: PresetName
  /** As in `RoutingRequest`. */
  readonly nets?: NetKind
  readonly hasPulls?: boolean
}

export interface Repartition {
  /** The new table, with its predicted messages. */
  readonly plan: RoutingPlan
  /** Names of the owners, part by part. */
  readonly owners: readonly string[]
  /** The number of waiting URLs. */
  readonly left: number
  readonly before: Prediction
  readonly after: Prediction
  readonly gainMs: Millis
  readonly relocationMs: Millis
  /** The number of sites with waiting URLs that get another agent, and of those that are asked back. */
  readonly movedSites: number
  readonly askedBack: number
}

/** The weight of a site without waiting URLs: the partitioner requires weights above 0. */
const LEAST_WEIGHT = 1e-3
/** With more pins the `fast` preset is used, because the crawl runs meanwhile. */
const MANY_PINS = 100_000
/** Moving all sites costs at most this share of all links. */
const MOVED_SHARE = 0.1

/** Null if there are too few agents, waiting URLs or groups of sites. */
export function planRepartition(learned: LearnedWeb, request: RepartitionRequest): Repartition | null {
  const { agents, grouping, nets = 'page', hasPulls = false } = request
  const k = agents.length
  const all = withAll(learned, request.left)
  const web = netsBy(nets, all)
  const left = leftOf(web, request)
  const queued = left.reduce((sum, site) => sum + site.queued, 0)
  if (k < 2 || queued === 0) return null
  const groups = groupsOf(web, grouping)
  if (groups.reduce((most, group) => Math.max(most, group + 1), 0) < k) return null
  const netPages = pagesLeft(web, left, nets)
  const found = newParts(web, left, netPages, groups, request)
  if (found === null) return null
  const times = new PredictedTimes({ web, left, netPages, agents, delayMs: request.delayMs })
  const before = times.of(partsNow(left, times, k))
  const after = times.of(found.parts)
  const shares = agents.map(({ share }) => share)
  return {
    plan: routingPlan(all, shares, found, hasPulls),
    owners: agents.map(({ name }) => name),
    left: queued,
    before,
    after,
    gainMs: totalMs(before) - totalMs(after),
    relocationMs: times.relocationMs(found.parts),
    movedSites: left.filter((site, v) => isMoved(site, found.parts[v])).length,
    askedBack: left.filter((site, v) => isAskedBack(site, found.parts[v])).length,
  }
}

function totalMs({ downloadMs, exchangeMs }: Prediction): Millis {
  return downloadMs + exchangeMs
}

/** Adds the sites that the crawl has met and learned nothing about yet. */
function withAll(learned: LearnedWeb, left: readonly SiteLeft[]): LearnedWeb {
  const known = new Set(learned.sites.map(({ site }) => site))
  const fresh = left.filter(({ site }) => !known.has(site))
  const nothing = { pages: 0, bytes: 0, fetchMs: 0, checked: 0, changed: 0, addresses: [], connectMs: {} }
  return { ...learned, sites: [...learned.sites, ...fresh.map(({ site }) => ({ site, ...nothing }))] }
}

const NOTHING_LEFT = { queued: 0, known: 0, part: -1, heldBy: -1, isTakenOver: false }

function leftOf({ sites }: LearnedWeb, { left }: RepartitionRequest): SiteLeft[] {
  const bySite = new Map(left.map(each => [each.site, each]))
  return sites.map(({ site }) => bySite.get(site) ?? { ...NOTHING_LEFT, site })
}

/**
 * The expected number of waiting pages for each net: the share of pages with links is taken to be the same as
 * among the fetched pages. With nets of sites, each site with waiting URLs has its message still to send.
 */
function pagesLeft(
  { sites, netOffsets, pins, counts }: LearnedWeb,
  left: readonly SiteLeft[],
  nets: NetKind,
): Float64Array {
  return counts.map((count, net) => {
    const source = pins[netOffsets[net]]
    if (nets === 'site') return left[source].queued > 0 ? count : LEAST_WEIGHT
    return Math.max(LEAST_WEIGHT, (count * left[source].queued) / Math.max(1, sites[source].pages))
  })
}

/** Null if `graph` finds no plan. */
function newParts(
  web: LearnedWeb,
  left: readonly SiteLeft[],
  netPages: Float64Array,
  groups: Int32Array,
  request: RepartitionRequest,
): FoundParts | null {
  const { agents, seed, graph } = request
  const all = agents.reduce((sum, { share }) => sum + share, 0)
  const targets = agents.map(({ share }) => share / all)
  const previous = Int32Array.from(left, placeOf)
  const migrationWeight = LIMITS.movedUrlMs / LIMITS.messageMs
  const preset = request.preset ?? (web.pins.length > MANY_PINS ? 'fast' : 'default')
  if (graph === null) {
    const hypergraph = workLeft(web, left, netPages)
    const asked = { k: agents.length, epsilons: [EPSILON], preset, seed, targets, groups } as const
    return partition({ ...asked, hypergraph, previous, migrationWeight })
  }
  // The cost of a move is in links, like the other objectives. It is limited, because with few known links it
  // would keep every site where it is.
  const links = netPages.reduce((sum, pages) => sum + pages, 0)
  const queued = left.reduce((sum, site) => sum + site.queued, 0)
  const weight = LEAST_WEIGHT * Math.min(migrationWeight, (MOVED_SHARE * links) / queued)
  const names = agents.map(({ name }) => name)
  const asked = {
    ...request,
    ...graph,
    agents: names,
    shares: targets,
    preset,
    dividesHeavyAddresses: true,
  } as const
  const found = graphParts(webLeft(web, left, netPages), { ...asked, previous, migrationWeight: weight })
  return typeof found === 'string' ? null : found
}

function workLeft(
  { netOffsets, pins, counts }: LearnedWeb,
  left: readonly SiteLeft[],
  netCosts: Float64Array,
): Hypergraph {
  return {
    vertexCount: left.length,
    netCount: counts.length,
    netOffsets,
    pins,
    netCosts,
    constraintCount: 1,
    vertexWeights: Float64Array.from(left, ({ queued }) => Math.max(LEAST_WEIGHT, queued)),
  }
}

/**
 * The remaining work for `graph`, which weighs sites by pages, at least 1 each. Pages are counted in
 * thousandths, so that a finished site weighs next to nothing.
 */
function webLeft(web: LearnedWeb, left: readonly SiteLeft[], netPages: Float64Array): LearnedWeb {
  const sites = web.sites.map((site, v) => ({ ...site, pages: left[v].queued / LEAST_WEIGHT }))
  return { ...web, sites, counts: netPages }
}

/** The present part of each site; sites without an agent are given to the agents with the least work. */
function partsNow(left: readonly SiteLeft[], times: PredictedTimes, k: number): Int32Array {
  // The holder crawls a site, even if it is meant for another agent.
  const now = Int32Array.from(left, site => (site.heldBy >= 0 ? site.heldBy : placeOf(site)))
  const spentMs = new Array<number>(k).fill(0)
  for (const [v, part] of now.entries()) if (part >= 0) spentMs[part] += times.siteMs(v, part)
  const unowned = [...now.keys()].filter(v => now[v] < 0).sort((a, b) => left[b].queued - left[a].queued)
  for (const v of unowned) {
    now[v] = spentMs.indexOf(Math.min(...spentMs))
    spentMs[now[v]] += times.siteMs(v, now[v])
  }
  return now
}
