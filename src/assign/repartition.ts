/**
 * Would the sites be better placed otherwise, by what the crawl has learned so far? The work that is left is partitioned again,
 * starting from where sites are now, with what it costs to move them. Both sides are predicted in the terms of the SIRE paper:
 * download and exchange time with and without the change (S10, S11), and relocation time (S12).
 */
import type { Grouping } from '../model/cell.js'
import type { Millis } from '../model/clock.js'
import { LIMITS } from '../model/limits.js'
import { type Hypergraph, partition } from '../partition/index.js'
import type { LearnedWeb } from './learned-web.js'
import { groupsOf, tableOf } from './plan-routing.js'
import type { RoutingTable } from './routing-table.js'

/** What is left of a site, and who has it. */
export interface SiteLeft {
  readonly site: string
  /** URLs that wait, and URLs known in all: who takes it over reads those. */
  readonly queued: number
  readonly known: number
  /** Place of its agent in `agents`; -1 when it is gone, or nobody had it. */
  readonly part: number
}

export interface RepartitionRequest {
  /** One part for each. */
  readonly agents: readonly { readonly name: string; readonly share: number; readonly lanes: number }[]
  readonly left: readonly SiteLeft[]
  /** The least pause between two requests to a site. */
  readonly delayMs: Millis
  readonly grouping: Grouping
  readonly seed: number
}

interface Prediction {
  /** Until the agent with most to do has fetched what is left (S10), and has sent its links (S11). */
  readonly downloadMs: Millis
  readonly exchangeMs: Millis
  readonly messages: number
}

export interface Repartition {
  readonly table: RoutingTable
  /** Names of agents, part by part. */
  readonly owners: readonly string[]
  readonly before: Prediction
  readonly after: Prediction
  readonly gainMs: Millis
  /** Relocation (S12). */
  readonly costMs: Millis
  readonly movedSites: number
}

const EPSILON = 0.05
/** Of a site with nothing left: it weighs nothing, but the partitioner wants weights above 0. */
const NEXT_TO_NOTHING = 1e-3

/** Null where there is nothing to divide, or nobody to divide it among. */
export function planRepartition(learned: LearnedWeb, request: RepartitionRequest): Repartition | null {
  const { agents, grouping, seed } = request
  const k = agents.length
  const web = withAll(learned, request.left)
  const left = leftOf(web, request)
  const groups = groupsOf(web, grouping)
  // Where nobody owns a site, nobody is the wrong one.
  if (k < 2 || left.every(({ part }) => part < 0)) return null
  if (groups.reduce((most, group) => Math.max(most, group + 1), 0) < k) return null
  const hypergraph = workLeft(web, left)
  const previous = Int32Array.from(left, ({ part }) => part)
  const shares = agents.reduce((sum, { share }) => sum + share, 0)
  const { parts } = partition({
    hypergraph,
    k,
    epsilons: [EPSILON],
    preset: 'fast',
    seed,
    targets: agents.map(({ share }) => share / shares),
    groups,
    previous,
    migrationWeight: LIMITS.movedUrlMs / LIMITS.messageMs,
  })
  const now = previous.map((part, v) => (part < 0 ? v % k : part))
  const before = predict(web, hypergraph, left, now, request)
  const after = predict(web, hypergraph, left, parts, request)
  const moved = left.map(({ part, queued }, v) => queued > 0 && part >= 0 && part !== parts[v])
  return {
    table: tableOf(web, k, { parts }),
    owners: agents.map(({ name }) => name),
    before,
    after,
    gainMs: before.downloadMs + before.exchangeMs - after.downloadMs - after.exchangeMs,
    costMs: relocationMs(left, parts, moved, k),
    movedSites: moved.filter(Boolean).length,
  }
}

/** Sites that the crawl has met and nothing was learned of yet have a part too. */
function withAll(learned: LearnedWeb, left: readonly SiteLeft[]): LearnedWeb {
  const known = new Set(learned.sites.map(({ site }) => site))
  const fresh = left.filter(({ site }) => !known.has(site))
  const nothing = { pages: 0, bytes: 0, fetchMs: 0, checked: 0, changed: 0, addresses: [], connectMs: {} }
  return { ...learned, sites: [...learned.sites, ...fresh.map(({ site }) => ({ site, ...nothing }))] }
}

function leftOf({ sites }: LearnedWeb, { left }: RepartitionRequest): SiteLeft[] {
  const bySite = new Map(left.map(each => [each.site, each]))
  return sites.map(({ site }) => bySite.get(site) ?? { site, queued: 0, known: 0, part: -1 })
}

/** Pages with links are as many among what is left as among what was fetched, site by site. */
function workLeft({ sites, netOffsets, pins, counts }: LearnedWeb, left: readonly SiteLeft[]): Hypergraph {
  const netCosts = counts.map((count, net) => {
    const source = pins[netOffsets[net]]
    return Math.max(NEXT_TO_NOTHING, (count * left[source].queued) / Math.max(1, sites[source].pages))
  })
  return {
    vertexCount: sites.length,
    netCount: counts.length,
    netOffsets,
    pins,
    netCosts,
    constraintCount: 1,
    vertexWeights: Float64Array.from(left, ({ queued }) => Math.max(NEXT_TO_NOTHING, queued)),
  }
}

function predict(
  { sites, netOffsets, pins }: LearnedWeb,
  { netCosts }: Hypergraph,
  left: readonly SiteLeft[],
  parts: Int32Array,
  { agents, delayMs }: RepartitionRequest,
): Prediction {
  const work = agents.map(() => ({ totalMs: 0, longestMs: 0, messages: 0 }))
  for (const [v, { queued }] of left.entries()) {
    const pageMs = sites[v].pages > 0 ? sites[v].fetchMs / sites[v].pages : 0
    // One request at a time: a site takes its time however many lanes there are.
    const siteMs = queued * Math.max(delayMs, pageMs)
    const own = work[parts[v]]
    own.totalMs += siteMs
    own.longestMs = Math.max(own.longestMs, siteMs)
  }
  for (let net = 0; net + 1 < netOffsets.length; net++) {
    const source = parts[pins[netOffsets[net]]]
    const others = new Set<number>()
    for (let at = netOffsets[net] + 1; at < netOffsets[net + 1]; at++) others.add(parts[pins[at]])
    others.delete(source)
    work[source].messages += others.size * (netCosts?.[net] ?? 1)
  }
  const download = work.map(({ totalMs, longestMs }, j) => Math.max(totalMs / agents[j].lanes, longestMs))
  const messages = work.reduce((sum, own) => sum + own.messages, 0)
  const exchange = work.map(own => own.messages * LIMITS.messageMs)
  return { downloadMs: Math.max(...download), exchangeMs: Math.max(...exchange), messages }
}

/** What the agent with most to give or to take needs for it. */
function relocationMs(
  left: readonly SiteLeft[],
  parts: Int32Array,
  moved: readonly boolean[],
  k: number,
): Millis {
  const spent = new Array<number>(k).fill(0)
  for (const [v, { known, part }] of left.entries()) {
    if (!moved[v]) continue
    const costMs = LIMITS.movedCellMs + known * LIMITS.movedUrlMs
    spent[part] += costMs
    spent[parts[v]] += costMs
  }
  return Math.max(...spent)
}
