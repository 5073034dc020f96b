/**
 * The work itself, for a thread that has nothing else to do: what was learned in, a routing table as a file
 * out.
 */
import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { type Predicted, predictedOf } from '../../cluster/coordinator/index.js'
import type { GraphSettings } from '../../config/index.js'
import { hostsInLogs, netsInLogs, type OpenLog } from '../../data/store/tables/index.js'
import { writeFileAtomically } from '../../files/index.js'
import { LIMITS, siteOfCell } from '../../model/index.js'
import {
  cutWeb,
  type GraphPlan,
  type HeavySite,
  heavySitesOf,
  isPiece,
  type LearnedWeb,
  machineOf,
  messagesByHash,
  type Prefix,
  PrefixTable,
  planGraph,
  planRepartition,
  planRouting,
  type RepartitionRequest,
  type RoutingPlan,
  type RoutingRequest,
  type RoutingTable,
  type SiteSplit,
  sharesOf,
} from '../../plan/assign/learned/index.js'
import { type LearnedTask, type LearnedTrouble, readLearned, type SiteCount } from '../../plan/learn/index.js'

export interface RouteTask extends Omit<RoutingRequest, 'shares'> {
  /** The previous crawl, and when it was begun. */
  readonly from: string
  readonly crawl: string
  readonly parts: number
  /** Null: as the agents that are expected were found able. */
  readonly shares: readonly number[] | null
  /** Sites of the seeds: where hardly one is known, what was learned is of another web. */
  readonly seeds: readonly string[]
  readonly outPath: string
  /** Of the `graph` assignment; null for the others. */
  readonly graph: GraphSettings | null
  /** Agents that the crawl starts itself; others may join. */
  readonly names: readonly string[]
  /**
   * Sites that were split into cells, because they are heavier than a part; null: those that are have to be
   * named first.
   */
  readonly splits: readonly SiteSplit[] | null
}

/** Sites that have to be split before a table is made. */
export interface Heavy {
  readonly heavy: readonly HeavySite[]
}

/** What the report says of a table; or why there is none. */
export type Routes =
  | (Omit<RoutingPlan, 'table' | 'heavySites'> & {
      readonly parts: number
      readonly sites: number
      readonly bytes: number
      /** Nets that it was made of; with none only balance counts. */
      readonly nets: number
      /** Of the parts, the largest 1. */
      readonly shares: readonly number[]
      /** Sites heavier than a part that stayed whole, the first of them. */
      readonly heavySites: readonly string[]
      /** Those that were split, the first of them: into how many cells, in how many parts. */
      readonly splitSites: readonly {
        readonly site: string
        readonly cells: number
        readonly parts: number
      }[]
      /** Which agent each part was made for; absent where any will do. */
      readonly owners?: readonly string[]
      /** Of the `graph` assignment: what is cut of each objective. */
      readonly objectives?: GraphPlan['objectives']
      /**
       * With addresses as vertices: prefixes that say the same as the table, aggregated as routers do (S3).
       * Null where sites of one address are in several parts: no prefix says that.
       */
      readonly prefixes?: number | null
    })
  | { readonly why: string }

/** What is left of a crawl, to be placed anew. */
export interface RepartitionTask extends RepartitionRequest {
  readonly from: string
  readonly crawl: string
  readonly outPath: string
  /** Logs that are not Parquet yet. */
  readonly linkLogs: readonly OpenLog[]
  readonly pageLogs: readonly OpenLog[]
}

/** What is promised of a table that was made, and what the report says of it; or why there is none. */
export type Repartitioned =
  | {
      readonly predicted: Predicted
      readonly owners: readonly string[]
      readonly routes: Exclude<Routes, { readonly why: string }>
    }
  | { readonly why: string }

/** The thread that does this work, and writes what was learned. */
export interface PlanWorker {
  route(task: RouteTask): Promise<Routes | Heavy>
  repartition(task: RepartitionTask): Promise<Repartitioned>
  learn(
    batches: AsyncIterable<readonly SiteCount[]>,
    task: () => Promise<LearnedTask>,
  ): Promise<LearnedTrouble | null>
}

const NAMED_SITES = 10
/** Of the seeds' sites that must be known. */
const LEAST_KNOWN = 0.1

export async function makeRoutes(task: RouteTask): Promise<Routes | Heavy> {
  const whole = await readLearned(task.from, task.crawl)
  if ('trouble' in whole) return { why: whole.trouble }
  const known = knownShare(whole, task.seeds)
  if (known < LEAST_KNOWN) return { why: otherWeb(task, known) }
  const expected = task.graph ? measurersOf(whole, task) : agentsOf(whole, task)
  const shares = task.shares ?? sharesOf(expected, whole.agents ?? [])
  const heavy = task.splits === null ? heavySitesOf(whole.sites, shares) : []
  if (heavy.length > 0) return { heavy }
  const splits = task.splits ?? []
  const learned = cutWeb(whole, splits)
  // Shares that a user gave go to whoever comes; what was measured of an agent counts for its own part.
  const isMeasured = task.shares === null && new Set(shares).size > 1
  const owners = task.graph || isMeasured ? expected : null
  const plan = task.graph
    ? planGraph(learned, { ...task, ...task.graph, shares, agents: owners! })
    : planRouting(learned, { ...task, shares })
  if (typeof plan === 'string') return { why: plan }
  // A hash would keep them whole.
  const byHash = splits.length > 0 ? messagesByHash(whole, shares) : plan.byHash
  return { ...written(learned, plan, { ...task, shares, owners }), byHash }
}

interface Written extends Pick<RouteTask, 'outPath' | 'graph'> {
  readonly shares: readonly number[]
  readonly owners: readonly string[] | null
}

/** The table as a file, and what is said of it. */
function written(
  learned: LearnedWeb,
  { table, heavySites, ...figures }: RoutingPlan,
  { outPath, graph, shares, owners }: Written,
): Exclude<Routes, { readonly why: string }> {
  const byAddress = graph?.vertices === 'address' ? prefixesOf(learned, table) : null
  const bytes = table.withPrefixes(byAddress?.prefixes ?? []).encode()
  mkdirSync(dirname(outPath), { recursive: true })
  writeFileAtomically(outPath, bytes)
  return {
    ...figures,
    parts: table.parts,
    sites: new Set(learned.sites.map(({ site }) => siteOfCell(site))).size,
    bytes: bytes.length,
    nets: learned.counts.length,
    shares: relative(shares),
    heavySites: heavySites.filter(site => !isPiece(site)).slice(0, NAMED_SITES),
    splitSites: splitIn(learned, table).slice(0, NAMED_SITES),
    ...(owners && { owners }),
    ...(byAddress && { prefixes: byAddress.isExact ? byAddress.prefixes.length : null }),
  }
}

function splitIn({ sites }: LearnedWeb, table: RoutingTable) {
  const cellsOf = new Map<string, string[]>()
  for (const { site: cell } of sites) {
    if (!isPiece(cell)) continue
    const site = siteOfCell(cell)
    cellsOf.set(site, [...(cellsOf.get(site) ?? []), cell])
  }
  return [...cellsOf].map(([site, cells]) => {
    const parts = new Set(cells.map(cell => table.partOf(cell)))
    return { site, cells: cells.length, parts: parts.size }
  })
}

function knownShare({ sites }: LearnedWeb, seeds: readonly string[]): number {
  const known = new Set(sites.map(({ site }) => site))
  return seeds.length === 0 ? 1 : seeds.filter(site => known.has(site)).length / seeds.length
}

function otherWeb({ from, seeds }: RouteTask, known: number): string {
  const share = seeds.length === 1 ? `not ${seeds[0]}` : `${Math.round(100 * known)} % of the seeds' sites`
  return `what ${from} has learned is of another web: it knows ${share}`
}

function relative(shares: readonly number[]): number[] {
  const largest = Math.max(...shares)
  return shares.map(share => Math.round((1000 * share) / largest) / 1000)
}

/** Of addresses whose sites are all in one part; `isExact` when there are no others. */
function prefixesOf(
  { sites }: LearnedWeb,
  table: RoutingTable,
): { readonly prefixes: readonly Prefix[]; readonly isExact: boolean } {
  const partOf = new Map<string, number>()
  for (const { site, addresses } of sites) {
    const [address] = addresses
    // An address stands for whole sites.
    if (address === undefined || isPiece(site)) continue
    const part = table.partOf(site)
    const known = partOf.get(address) ?? part
    partOf.set(address, known === part ? part : APART)
  }
  const whole = [...partOf].filter(([, part]) => part !== APART)
  return {
    prefixes: new PrefixTable(whole.map(([address, part]) => ({ address, part }))).prefixes(),
    isExact: whole.length === partOf.size,
  }
}

/** In place of a part: an address that was taken apart, because its sites outweigh one. */
const APART = -1

/** The crawl's own agents, then those that measured most last time; empty for parts that are anybody's. */
function measurersOf({ sites }: LearnedWeb, { names, parts }: RouteTask): string[] {
  const measured = new Map<string, number>()
  for (const { connectMs } of sites)
    for (const name of Object.keys(connectMs)) measured.set(name, (measured.get(name) ?? 0) + 1)
  const others = [...measured.keys()]
    .filter(name => !names.includes(name))
    .sort((a, b) => measured.get(b)! - measured.get(a)! || (a < b ? -1 : 1))
  return Array.from({ length: parts }, (_, part) => [...names, ...others][part] ?? '')
}

/** The crawl's own agents, then the quickest of those that joined it last time from elsewhere. */
function agentsOf({ agents = [] }: LearnedWeb, { names, parts }: RouteTask): string[] {
  const others = agents
    .filter(({ name }) => machineOf(name) !== '')
    .sort((a, b) => b.speed - a.speed || (a.name < b.name ? -1 : 1))
    .map(({ name }) => name)
  return Array.from({ length: parts }, (_, part) => [...names, ...others][part] ?? '')
}

export async function repartition(task: RepartitionTask): Promise<Repartitioned> {
  const live = {
    sites: task.left.map(({ site }) => site),
    nets: netsInLogs(task.linkLogs, LIMITS.liveLogBytes),
    hosts: hostsInLogs(task.pageLogs),
  }
  const learned = await readLearned(task.from, task.crawl, live)
  if ('trouble' in learned) return { why: learned.trouble }
  const made = planRepartition(learned, task)
  if (made === null) return { why: 'there are no sites to partition' }
  const { plan, owners } = made
  const shares = task.agents.map(({ share }) => share)
  return { predicted: predictedOf(made), owners, routes: written(learned, plan, { ...task, shares, owners }) }
}
