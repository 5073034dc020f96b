/** The work itself, for a thread that has nothing else to do: what was learned in, a routing table as a file out. */
import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { cutWeb, type HeavySite, heavySitesOf, isPiece, type SiteSplit } from '../assign/cut-web.js'
import type { GraphSettings, LearnedWeb, RoutingTable } from '../assign/index.js'
import { type GraphPlan, planGraph } from '../assign/plan-graph.js'
import { messagesByHash, planRouting, type RoutingPlan, type RoutingRequest } from '../assign/plan-routing.js'
import { PrefixTable } from '../assign/prefix-table.js'
import { planRepartition, type RepartitionRequest } from '../assign/repartition.js'
import { type Predicted, predictedOf } from '../coordinator/index.js'
import { readLearned } from '../learn/index.js'
import { siteOfCell } from '../model/cell.js'
import { LIMITS } from '../model/limits.js'
import { hostsInLogs, netsInLogs, type OpenLog, writeFileAtomically } from '../store/index.js'

export interface RouteTask extends RoutingRequest {
  /** The previous crawl, and when it was begun. */
  readonly from: string
  readonly crawl: string
  readonly outPath: string
  /** Of the `graph` assignment; null for the others. */
  readonly graph: GraphSettings | null
  /** Agents that will be there, as far as that is known. */
  readonly names: readonly string[]
  /** Sites that were split into cells, because they are heavier than a part; null: those that are have to be named first. */
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
      /** With addresses as vertices: prefixes that say the same as the table, aggregated as routers do (S3). */
      readonly prefixes?: number
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

const NAMED_SITES = 10

export async function makeRoutes(task: RouteTask): Promise<Routes | Heavy> {
  const whole = await readLearned(task.from, task.crawl)
  if ('trouble' in whole) return { why: whole.trouble }
  const heavy = task.splits === null ? heavySitesOf(whole.sites, task.shares) : []
  if (heavy.length > 0) return { heavy }
  const splits = task.splits ?? []
  const learned = cutWeb(whole, splits)
  const owners = task.graph && ownersOf(learned, task)
  const plan = task.graph
    ? planGraph(learned, { ...task, ...task.graph, agents: owners! })
    : planRouting(learned, task)
  if (typeof plan === 'string') return { why: plan }
  // A hash would keep them whole.
  const byHash = splits.length > 0 ? messagesByHash(whole, task.shares) : plan.byHash
  return { ...written(learned, plan, task, owners), byHash }
}

/** The table as a file, and what is said of it. */
function written(
  learned: LearnedWeb,
  { table, heavySites, ...figures }: RoutingPlan,
  { outPath, graph }: Pick<RouteTask, 'outPath' | 'graph'>,
  owners: readonly string[] | null,
): Exclude<Routes, { readonly why: string }> {
  const bytes = table.encode()
  mkdirSync(dirname(outPath), { recursive: true })
  writeFileAtomically(outPath, bytes)
  return {
    ...figures,
    parts: table.parts,
    sites: new Set(learned.sites.map(({ site }) => siteOfCell(site))).size,
    bytes: bytes.length,
    heavySites: heavySites.filter(site => !isPiece(site)).slice(0, NAMED_SITES),
    splitSites: splitIn(learned, table).slice(0, NAMED_SITES),
    ...(owners && { owners }),
    ...(graph?.vertices === 'address' && { prefixes: prefixesOf(learned, table) }),
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

function prefixesOf({ sites }: LearnedWeb, table: RoutingTable): number {
  // An address stands for whole sites.
  const whole = sites.filter(({ site }) => !isPiece(site))
  const routes = whole.flatMap(({ site, addresses }) =>
    addresses.slice(0, 1).map(address => ({ address, part: table.partOf(site) })),
  )
  return new PrefixTable(routes).prefixes().length
}

/** The agents that are expected, then those that measured most last time; empty for parts that are anybody's. */
function ownersOf({ sites }: LearnedWeb, { names, shares }: RouteTask): string[] {
  const measured = new Map<string, number>()
  for (const { connectMs } of sites)
    for (const name of Object.keys(connectMs)) measured.set(name, (measured.get(name) ?? 0) + 1)
  const others = [...measured.keys()]
    .filter(name => !names.includes(name))
    .sort((a, b) => measured.get(b)! - measured.get(a)! || (a < b ? -1 : 1))
  return Array.from(shares, (_, part) => [...names, ...others][part] ?? '')
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
  if (made === null) return { why: 'there is nothing to divide' }
  const { plan, owners } = made
  return { predicted: predictedOf(made), owners, routes: written(learned, plan, task, owners) }
}
