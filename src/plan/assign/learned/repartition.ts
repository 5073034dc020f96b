/**
 * Would the sites be better placed otherwise, by what the crawl has learned so far? The work that is left is
 * partitioned again, starting from where sites are now, with what it costs to move them: by links, or with
 * the objectives of the `graph` assignment. Both sides are predicted in the terms of the SIRE paper
 * (`predict-times.ts`).
 */

import type { GraphSettings, NetKind } from '../../../config/index.js'
import { type Grouping, LIMITS, type Millis } from '../../../model/index.js'
import { partition } from '../../partition/index.js'
import type { Hypergraph, Partition, PresetName } from '../../partition/state/index.js'
import type { LearnedWeb } from './learned-web.js'
import { graphParts } from './plan-graph.js'
import { EPSILON, groupsOf, type RoutingPlan, routingPlan } from './plan-routing.js'
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
  /** One part for each. */
  readonly agents: readonly PlacedAgent[]
  readonly left: readonly SiteLeft[]
  /** The least pause between two requests to a site. */
  readonly delayMs: Millis
  readonly grouping: Grouping
  readonly seed: number
  /** Of the `graph` assignment; null for the others. */
  readonly graph: GraphSettings | null
  /** As much effort as the web allows, where it is not told. */
  readonly preset?: PresetName
  /** As in `RoutingRequest`. */
  readonly nets?: NetKind
  readonly hasPulls?: boolean
}

export interface Repartition {
  /** The table, and what it promises for the links seen so far. */
  readonly plan: RoutingPlan
  /** Names of agents, part by part. */
  readonly owners: readonly string[]
  /** URLs that wait. */
  readonly left: number
  readonly before: Prediction
  readonly after: Prediction
  readonly gainMs: Millis
  readonly relocationMs: Millis
  /** Sites with something left that get another agent, and of them those that have to be asked back. */
  readonly movedSites: number
  readonly askedBack: number
}

/** Of a site with nothing left: it weighs nothing, but the partitioner wants weights above 0. */
const NEXT_TO_NOTHING = 1e-3
/** With more pins less effort has to do: it is partitioned while the crawl goes on. */
const MANY_PINS = 100_000
/** To move everything costs no more than this share of all links. */
const MOVED_SHARE = 0.1

/** Null where there is nothing to divide, or nobody to divide it among. */
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
  const times = new PredictedTimes(web, left, netPages, agents, request.delayMs)
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

/** Sites that the crawl has met and nothing was learned of yet have a part too. */
function withAll(learned: LearnedWeb, left: readonly SiteLeft[]): LearnedWeb {
  const known = new Set(learned.sites.map(({ site }) => site))
  const fresh = left.filter(({ site }) => !known.has(site))
  const nothing = { pages: 0, bytes: 0, fetchMs: 0, checked: 0, changed: 0, addresses: [], connectMs: {} }
  return { ...learned, sites: [...learned.sites, ...fresh.map(({ site }) => ({ site, ...nothing }))] }
}

const NOBODYS = { queued: 0, known: 0, part: -1, heldBy: -1, isBargain: false }

function leftOf({ sites }: LearnedWeb, { left }: RepartitionRequest): SiteLeft[] {
  const bySite = new Map(left.map(each => [each.site, each]))
  return sites.map(({ site }) => bySite.get(site) ?? { ...NOBODYS, site })
}

/**
 * Pages with links are as many among what is left as among what was fetched, site by site. With nets of sites
 * a site that has anything left has its message still to send.
 */
function pagesLeft(
  { sites, netOffsets, pins, counts }: LearnedWeb,
  left: readonly SiteLeft[],
  nets: NetKind,
): Float64Array {
  return counts.map((count, net) => {
    const source = pins[netOffsets[net]]
    if (nets === 'site') return left[source].queued > 0 ? count : NEXT_TO_NOTHING
    return Math.max(NEXT_TO_NOTHING, (count * left[source].queued) / Math.max(1, sites[source].pages))
  })
}

type Found = Pick<Partition, 'parts' | 'imbalance' | 'imbalanceBound' | 'heavyVertices'>

/** Null where the objectives of `graph` allow none. */
function newParts(
  web: LearnedWeb,
  left: readonly SiteLeft[],
  netPages: Float64Array,
  groups: Int32Array,
  request: RepartitionRequest,
): Found | null {
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
  // In links, as the others; where few are known, nobody is kept from where it is near by what a move costs
  // in them.
  const links = netPages.reduce((sum, pages) => sum + pages, 0)
  const queued = left.reduce((sum, site) => sum + site.queued, 0)
  const weight = NEXT_TO_NOTHING * Math.min(migrationWeight, (MOVED_SHARE * links) / queued)
  const names = agents.map(({ name }) => name)
  const asked = { ...request, ...graph, agents: names, shares: targets, preset, takesApart: true } as const
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
    vertexWeights: Float64Array.from(left, ({ queued }) => Math.max(NEXT_TO_NOTHING, queued)),
  }
}

/**
 * The same for `graph`, which weighs sites by pages and none less than one: in thousandths, a site that is
 * done weighs nothing.
 */
function webLeft(web: LearnedWeb, left: readonly SiteLeft[], netPages: Float64Array): LearnedWeb {
  const sites = web.sites.map((site, v) => ({ ...site, pages: left[v].queued / NEXT_TO_NOTHING }))
  return { ...web, sites, counts: netPages }
}

/**
 * Whose each site is as things stand. One that is nobody's has to go somewhere: to whoever has least to do.
 */
function partsNow(left: readonly SiteLeft[], times: PredictedTimes, k: number): Int32Array {
  // Who has it crawls it, also where it is a bargain.
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
