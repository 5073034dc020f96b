/**
 * Makes a routing table. In: what a previous crawl has learned. Out: the table as a file, and figures for the
 * report. Runs in a worker thread, so that it does not block the crawl.
 */

import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { type Predicted, predictedOf } from '../../cluster/coordinator/index.js'
import type { GraphSettings } from '../../config/index.js'
import { hostsInLogs, netsInLogs, type OpenLog } from '../../data/store/tables/index.js'
import { writeFileAtomically } from '../../files/index.js'
import { groupBy, LIMITS, siteOfCell } from '../../model/index.js'
import {
  cutWeb,
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
import type { RoutingReport } from '../../report/index.js'
import { ROUTE_TASK_NAMED_SITES } from '../limits.js'

export interface RouteTask extends Omit<RoutingRequest, 'shares'> {
  /** The previous crawl, and when it was begun. */
  readonly from: string
  readonly crawl: string
  readonly parts: number
  /** Shares given by the user. Null: the shares follow from the measured speed of the expected agents. */
  readonly shares: readonly number[] | null
  /**
   * Sites of the seeds. If the learned data has too few of them, it describes another web and is not used.
   */
  readonly seeds: readonly string[]
  readonly outPath: string
  /** Settings of the `graph` assignment; null for the others. */
  readonly graph: GraphSettings | null
  /** Agents that the crawl starts itself; others may join. */
  readonly names: readonly string[]
  /**
   * Sites that were split into cells, because they are heavier than a part. Null before that: if there are
   * such sites, `makeRoutes` returns them and makes no table.
   */
  readonly splits: readonly SiteSplit[] | null
}

/** Sites that have to be split before a table is made. */
export interface Heavy {
  readonly heavy: readonly HeavySite[]
}

/** The figures of a table for the report, or why there is no table. */
export type Routes = Omit<RoutingReport, 'madeAt'> | { readonly why: string }

/** The remaining work of a crawl, for a new partition. */
export interface RepartitionTask extends RepartitionRequest {
  readonly from: string
  readonly crawl: string
  readonly outPath: string
  /** Logs that are not Parquet yet. */
  readonly linkLogs: readonly OpenLog[]
  readonly pageLogs: readonly OpenLog[]
}

/** The predicted gain and the figures of a new table, or why there is no new table. */
export type Repartitioned =
  | {
      readonly predicted: Predicted
      readonly owners: readonly string[]
      readonly routes: Exclude<Routes, { readonly why: string }>
    }
  | { readonly why: string }

/** The thread that makes routing tables and writes the learned data. */
export interface PlanWorker {
  route(task: RouteTask): Promise<Routes | Heavy>
  repartition(task: RepartitionTask): Promise<Repartitioned>
  learn(
    batches: AsyncIterable<readonly SiteCount[]>,
    task: () => Promise<LearnedTask>,
  ): Promise<LearnedTrouble | null>
}

/** The least fraction of the seeds' sites that the learned data must have. */
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
  // Any agent may take a share that the user gave. A share that was measured belongs to the measured agent.
  const isMeasured = task.shares === null && new Set(shares).size > 1
  const owners = task.graph || isMeasured ? expected : null
  const plan = task.graph
    ? planGraph(learned, { ...task, ...task.graph, shares, agents: owners! })
    : planRouting(learned, { ...task, shares })
  if (typeof plan === 'string') return { why: plan }
  // The comparison with assignment by hash uses whole sites, because a hash does not split them.
  const byHash = splits.length > 0 ? messagesByHash(whole, shares) : plan.byHash
  return { ...written(learned, plan, { ...task, shares, owners }), byHash }
}

interface Written extends Pick<RouteTask, 'outPath' | 'graph'> {
  readonly shares: readonly number[]
  readonly owners: readonly string[] | null
}

/** Writes the table to its file; returns its figures. */
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
    heavySites: heavySites.filter(site => !isPiece(site)).slice(0, ROUTE_TASK_NAMED_SITES),
    splitSites: splitIn(learned, table).slice(0, ROUTE_TASK_NAMED_SITES),
    ...(owners && { owners }),
    ...(byAddress && { prefixes: byAddress.isExact ? byAddress.prefixes.length : null }),
  }
}

function splitIn({ sites }: LearnedWeb, table: RoutingTable) {
  const pieces = sites.map(({ site }) => site).filter(isPiece)
  return [...groupBy(pieces, siteOfCell)].map(([site, cells]) => {
    const parts = new Set(cells.map(cell => table.partOf(cell)))
    return { site, cells: cells.length, parts: parts.size }
  })
}

function knownShare({ sites }: LearnedWeb, seeds: readonly string[]): number {
  const known = new Set(sites.map(({ site }) => site))
  return seeds.length === 0 ? 1 : seeds.filter(site => known.has(site)).length / seeds.length
}

function otherWeb({ from, seeds }: RouteTask, known: number): string {
  const why =
    seeds.length === 1
      ? `it does not know ${seeds[0]}`
      : `it knows ${Math.round(100 * known)} % of the seeds' sites`
  return `what ${from} has learned describes another web: ${why}`
}

function relative(shares: readonly number[]): number[] {
  const largest = Math.max(...shares)
  return shares.map(share => Math.round((1000 * share) / largest) / 1000)
}

/**
 * Prefixes of the addresses whose sites are all in one part. `isExact` is true if that holds for all
 * addresses.
 */
function prefixesOf(
  { sites }: LearnedWeb,
  table: RoutingTable,
): { readonly prefixes: readonly Prefix[]; readonly isExact: boolean } {
  const partOf = new Map<string, number>()
  for (const { site, addresses } of sites) {
    const [address] = addresses
    // Prefixes can place whole sites only.
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

/** Stands for the part of an address whose sites are in several parts. */
const APART = -1

/**
 * The crawl's own agents, then those that measured the most sites in the previous crawl. An empty name means
 * that any agent may take the part.
 */
function measurersOf({ sites }: LearnedWeb, { names, parts }: RouteTask): string[] {
  const measured = new Map<string, number>()
  for (const { connectMs } of sites)
    for (const name of Object.keys(connectMs)) measured.set(name, (measured.get(name) ?? 0) + 1)
  const others = [...measured.keys()]
    .filter(name => !names.includes(name))
    .sort((a, b) => measured.get(b)! - measured.get(a)! || (a < b ? -1 : 1))
  return Array.from({ length: parts }, (_, part) => [...names, ...others][part] ?? '')
}

/** The crawl's own agents, then the fastest of those that joined the previous crawl from other machines. */
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
