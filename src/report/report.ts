/** The final summary: `report.json`, `--json`, and what the library returns. */

import type { MeasuredPace, Moved, RepartitionRecord } from '../cluster/coordinator/index.js'
import type { PageChanges } from '../data/query/index.js'
import {
  type AgentWork,
  type FinishReason,
  type Ledger,
  type SiteSummary,
  siteSummaries,
} from '../ledger/index.js'
import { isTrouble } from '../model/index.js'
import type { GraphPlan, RoutingPlan } from '../plan/assign/learned/index.js'
import type { UrlCounts } from './count-urls.js'
import { TROUBLED_SITES } from './limits.js'
import { failedOf, type Metrics, measure, queuedOf, round } from './metrics.js'

/** The work of an agent in all runs of the crawl. */
export interface AgentReport {
  readonly name: string
  /** Runs it took part in. */
  readonly lives: number
  /** Acknowledged, like `bytes`. */
  readonly pages: number
  readonly bytes: number
  /** Requests sent, except for robots.txt, without those in flight and the last of a killed run. */
  readonly fetches: number
  /** Share of all fetch time (D24: the normalised workload). */
  readonly workload: number
  /** The figures of each lane that fetched something. */
  readonly lanes: readonly { readonly lane: number; readonly pages: number; readonly workload: number }[]
}

interface TroubledSite {
  readonly site: string
  readonly code: string
  readonly count: number
  readonly detail: string
}

/** A site that is not crawled because its robots.txt could not be read. */
interface RefusedSite {
  readonly origin: string
  readonly code: 'ROBOTS_UNAVAILABLE' | 'ROBOTS_GIVEN_UP'
  /** HTTP status of its robots.txt; 0 without a response. */
  readonly status: number
  readonly failures: number
  readonly detail: string
}

/** A site that was set aside; `resume` goes on with it. */
interface ParkedSite {
  readonly site: string
  /** When it may be asked again. */
  readonly until: string
  readonly why: string
  readonly queued: number
}

export interface Report extends Metrics {
  readonly version: string
  readonly seeds: readonly string[]
  readonly finishReason: FinishReason | 'stopped'
  readonly startedAt: string
  readonly endedAt: string
  /** Over all runs, like everything here. */
  readonly seconds: number
  /** CPU time of the coordinating processes, without agents in other processes. */
  readonly cpuSeconds: number
  readonly pages: number
  /** Distinct URLs among `pages`, counted in the journals. */
  readonly uniquePages: number
  readonly pagesPerSecond: number
  readonly bytes: number
  readonly sites: number
  readonly parkedSites: number
  readonly queued: number
  readonly failed: number
  readonly outcomes: Readonly<Record<string, number>>
  readonly agents: readonly AgentReport[]
  /** Sites where URLs failed or were refused, worst first. */
  readonly troubledSites: readonly TroubledSite[]
  /** Sites that were set aside, the first of them. */
  readonly setAside: readonly ParkedSite[]
  /** Files that have lost committed bytes, one line each. */
  readonly damaged: readonly string[]
  /** Warnings of the start, such as a ledger that is not fully durable. */
  readonly warnings: readonly string[]
  /** The routing table of a learned assignment, or why there is none; null with other assignments. */
  readonly routing: RoutingReport | { readonly why: string } | null
  /** S2: how agents claimed cells by the table; null without one. */
  readonly routed: RoutedReport | null
  /** Changes of the table while the crawl ran, as predicted and as measured. */
  readonly repartitions: readonly RepartitionReport[]
  /**
   * What became of the pages of the previous crawl; null without `--previous`, without tables, and for an
   * interrupted run.
   */
  readonly recrawl: RecrawlReport | null
  /**
   * The robots mode, and the origins not crawled because their robots.txt could not be read; the first are
   * named.
   */
  readonly robots: RobotsReport
}

/** The counts of the previous crawl are of its pages. */
interface RecrawlReport extends PageChanges {
  readonly previous: string
}

/** S10-S12: why cells were assigned anew or not, the predicted gain and cost, and the measured ones. */
interface RepartitionReport extends Pick<RepartitionRecord, 'why' | 'agents' | 'isWorth' | 'predicted'> {
  readonly at: string
  /** Null if nothing was moved, or the move was not complete when the crawl ended. */
  readonly happened:
    | (Moved & {
        /**
         * From the previous repartition (or the start), and to the next (or the end); null if that took no
         * time.
         */
        readonly before: MeasuredPace | null
        readonly after: MeasuredPace | null
        /** Time saved on the remaining URLs, by the pace before and the pace after. */
        readonly gainMs: number | null
      })
    | null
}

/** A cell is counted at each lease. */
interface RoutedReport {
  /** The number of the last table: it rises with every repartition and every new coordinator. */
  readonly stages: number
  /** Size of that table as sent to each agent. */
  readonly tableBytes: number
  /** Cells that agents claimed themselves, and cells that the coordinator granted. */
  readonly cellsTaken: number
  readonly cellsGiven: number
}

/** S3: the size of the routing table, and its predicted messages for the links it was made of. */
export interface RoutingReport extends Omit<RoutingPlan, 'table'> {
  /** When it was made, if from what this crawl had learned. */
  readonly madeAt?: string
  readonly parts: number
  readonly sites: number
  readonly bytes: number
  /** Nets it was made of; without any, only balance counts. */
  readonly nets: number
  /** Shares of the parts, the largest is 1. */
  readonly shares: readonly number[]
  /** Sites heavier than a part that were split, the first of them, with their cells and parts. */
  readonly splitSites: readonly { readonly site: string; readonly cells: number; readonly parts: number }[]
  /** The agent that each part was made for; absent if any agent may take any part. */
  readonly owners?: readonly string[]
  /** S8: what each objective of the `graph` assignment loses to the cut. */
  readonly objectives?: GraphPlan['objectives']
  /**
   * With addresses as vertices: the number of address prefixes that are equivalent to the table, aggregated
   * as routers do (S3). Null if sites of one address are in several parts, which prefixes cannot express.
   */
  readonly prefixes?: number | null
}

interface RobotsReport {
  readonly mode: 'strict' | 'rfc9309' | 'ignore'
  readonly refused: number
  readonly refusedSites: readonly RefusedSite[]
}

/** What goes into the report as it is. */
type ReportGivens = Pick<
  Report,
  'version' | 'seeds' | 'damaged' | 'routing' | 'routed' | 'repartitions' | 'warnings'
>

export interface ReportFacts extends ReportGivens, Pick<Report, 'seconds' | 'cpuSeconds'> {
  readonly startedAtMs: number
  readonly endedAtMs: number
  readonly urls: UrlCounts
  readonly robots: { readonly mode: RobotsReport['mode']; readonly maxFailures: number }
  /** Compares with the previous crawl. Not called for an interrupted run, as it reads all tables of both. */
  readonly compare: () => Promise<Report['recrawl']>
}

export async function buildReport(ledger: Ledger, facts: ReportFacts): Promise<Report> {
  const totals = await ledger.totals()
  const troubled = await lookAtSites(ledger)
  const { pages } = totals
  const agents = await ledger.agentWork()
  return {
    version: facts.version,
    seeds: facts.seeds,
    finishReason: totals.finishReason ?? 'stopped',
    startedAt: new Date(facts.startedAtMs).toISOString(),
    endedAt: new Date(facts.endedAtMs).toISOString(),
    seconds: round(facts.seconds),
    cpuSeconds: round(facts.cpuSeconds),
    pages,
    uniquePages: facts.urls.pages,
    pagesPerSecond: facts.seconds > 0 ? round(pages / facts.seconds) : 0,
    bytes: totals.bytes,
    sites: totals.sites,
    parkedSites: totals.cells.parked,
    queued: queuedOf(totals),
    failed: failedOf(totals),
    outcomes: Object.fromEntries(totals.outcomes.map(({ code, count }) => [code, count])),
    ...measure(totals, agents, facts.urls),
    agents: agentReports(agents),
    troubledSites: troubled,
    setAside: await lookAtParked(ledger),
    damaged: facts.damaged,
    routing: facts.routing,
    routed: facts.routed,
    repartitions: facts.repartitions,
    warnings: facts.warnings,
    recrawl: totals.finishReason === null ? null : await facts.compare(),
    robots: await lookAtRefused(ledger, facts.robots),
  }
}

export function agentReports(work: readonly AgentWork[]): AgentReport[] {
  const fetchMs = work.reduce((sum, agent) => sum + agent.fetchMs, 0)
  const workload = (own: number) => (fetchMs > 0 ? round(own / fetchMs) : 0)
  return work.map(({ name, incarnations: lives, pages, bytes, fetches, fetchMs: own, lanes }) => ({
    name,
    lives,
    pages,
    bytes,
    fetches,
    workload: workload(own),
    lanes: lanes.map(lane => ({ lane: lane.lane, pages: lane.pages, workload: workload(lane.fetchMs) })),
  }))
}

async function lookAtRefused(ledger: Ledger, robots: ReportFacts['robots']): Promise<RobotsReport> {
  const { total, first } = await ledger.refusedOrigins(TROUBLED_SITES)
  const refusedSites = first.map(({ origin, status, failures, detail }): RefusedSite => {
    const code = failures >= robots.maxFailures ? 'ROBOTS_GIVEN_UP' : 'ROBOTS_UNAVAILABLE'
    return { origin, code, status, failures, detail }
  })
  return { mode: robots.mode, refused: total, refusedSites }
}

async function lookAtParked(ledger: Ledger): Promise<ParkedSite[]> {
  const parked = await ledger.parked(TROUBLED_SITES)
  return parked.map(({ cell, until, why, queued }) => ({
    site: cell,
    until: new Date(until).toISOString(),
    why,
    queued,
  }))
}

/** Reads all sites in pages and keeps the worst, so memory is bounded. */
async function lookAtSites(ledger: Ledger): Promise<TroubledSite[]> {
  let troubled: TroubledSite[] = []
  for await (const site of siteSummaries(ledger)) {
    const troubles = troublesOf(site)
    if (troubles.length === 0) continue
    troubled = [...troubled, ...troubles].sort((a, b) => b.count - a.count).slice(0, TROUBLED_SITES)
  }
  return troubled
}

function troublesOf(site: SiteSummary): TroubledSite[] {
  return site.outcomes
    .filter(({ code }) => isTrouble(code))
    .map(({ code, count, detail }) => ({ site: site.cell, code, count, detail }))
}
