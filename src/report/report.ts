/** The final summary: `report.json`, `--json`, and what the library returns. */
import {
  type AgentWork,
  type FinishReason,
  type Ledger,
  type SiteSummary,
  siteSummaries,
} from '../ledger/index.js'
import { isTrouble } from '../model/index.js'
import type { UrlCounts } from './count-urls.js'
import { failedOf, type Metrics, measure, queuedOf, round } from './metrics.js'

/** What an agent did in all runs of the crawl. */
export interface AgentReport {
  readonly name: string
  /** Runs it took part in. */
  readonly lives: number
  /** Acknowledged, like `bytes`. */
  readonly pages: number
  readonly bytes: number
  /**
   * Requests sent, robots.txt apart; what a killed run sent in its last moments is missing, and while it runs
   * what is under way.
   */
  readonly fetches: number
  /** Share of all fetch time (D24: the normalised workload). */
  readonly workload: number
  /** The same of each of its lanes that did something. */
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
  /** What it answered for robots.txt; 0 when nothing. */
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
  /** Of the processes that coordinated; what agents in other processes used is not in it. */
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
  /** Committed bytes that the disk has lost: one line for each file. */
  readonly damaged: readonly string[]
  /** What was said at the start: where the ledger is not as durable as it could be. */
  readonly warnings: readonly string[]
  /** The routing table of an assignment that learns, or why it has none; null with the others. */
  readonly routing: RoutingReport | { readonly why: string } | null
  /** S2: how agents routed by it on their own; null where they had none. */
  readonly routed: RoutedReport | null
  /** Changes of it while the crawl ran: what was predicted, and what then happened. */
  readonly repartitions: readonly RepartitionReport[]
  /**
   * What became of the pages of the crawl that `--previous` names; null without one, where tables do not
   * tell, and when the run was interrupted.
   */
  readonly recrawl: RecrawlReport | null
  /**
   * How robots.txt was read, and how many origins were left alone because theirs could not be; the first are
   * named.
   */
  readonly robots: RobotsReport
}

/**
 * `new`, `changed` and `unchanged` are the pages of now; the last two, `gone` and `noPage` those of before.
 */
interface RecrawlReport {
  readonly previous: string
  readonly new: number
  readonly changed: number
  readonly unchanged: number
  /** The server said 404 or 410. */
  readonly gone: number
  /** Redirected, failed, refused, or not asked for yet. */
  readonly noPage: number
}

/** S10-S12: why cells were placed anew, or not, what that was to bring and to cost, and what came of it. */
interface RepartitionReport {
  readonly at: string
  readonly why: string
  readonly agents: number
  readonly isWorth: boolean
  readonly predicted: MovedReport & {
    /** URLs that waited. */
    readonly left: number
    readonly before: PaceReport & { readonly downloadMs: number; readonly exchangeMs: number }
    readonly after: PaceReport & { readonly downloadMs: number; readonly exchangeMs: number }
    readonly gainMs: number
  }
  /** Null where nothing was done, or it was not over when the crawl was. */
  readonly happened:
    | (MovedReport & {
        readonly forced: number
        /**
         * From the repartition before it (or the start), and to the next (or the end); null where that was no
         * time at all.
         */
        readonly before: (PaceReport & { readonly seconds: number }) | null
        readonly after: (PaceReport & { readonly seconds: number }) | null
        /** What was left, at the pace before it and at the pace after it. */
        readonly gainMs: number | null
      })
    | null
}

/**
 * Sites that got another agent; of them those that were leased and had to be asked back; how long that took.
 */
interface MovedReport {
  readonly movedSites: number
  readonly askedBack: number
  readonly relocationMs: number
}

interface PaceReport {
  readonly pagesPerSecond: number
  readonly messagesPerPage: number
}

/** A cell is counted each time that it is leased. */
interface RoutedReport {
  /**
   * The number of the table that was in force at the end: it rises with every repartition and every new
   * coordinator.
   */
  readonly stages: number
  /** Of that table, as every agent got it. */
  readonly tableBytes: number
  /** Cells that agents took themselves, as they last said, and cells that the coordinator gave them. */
  readonly cellsTaken: number
  readonly cellsGiven: number
}

/** S3: how large the table is that is in force, and what it promises for the links it was made of. */
interface RoutingReport {
  /** Of one that was made while the crawl ran, of what it had learned so far. */
  readonly madeAt?: string
  readonly parts: number
  readonly sites: number
  readonly bytes: number
  /** It was made of; with none only balance counts. */
  readonly nets: number
  /** Of the parts, the largest 1. */
  readonly shares: readonly number[]
  readonly predicted: { readonly messages: number; readonly coalescedMessages: number }
  readonly byHash: { readonly messages: number; readonly coalescedMessages: number }
  /**
   * Of bytes and of pages (`graph`: of pages, and with `change` of pages that are fetched again): heaviest
   * part over its share, minus 1, and what no partition can go below.
   */
  readonly imbalance: readonly number[]
  readonly imbalanceBound: readonly number[]
  /** Heavier than a part and whole all the same, the first of them. */
  readonly heavySites: readonly string[]
  /** Heavier than a part and split, the first of them: into how many cells, in how many parts. */
  readonly splitSites: readonly { readonly site: string; readonly cells: number; readonly parts: number }[]
  /**
   * S8, `graph` alone: for each objective that counted its factor, what is cut when it is the only one, and
   * what was cut.
   */
  readonly objectives?: readonly {
    readonly name: string
    readonly factor: number
    readonly alone: number
    readonly cut: number
  }[]
}

interface RobotsReport {
  readonly mode: 'strict' | 'rfc9309' | 'ignore'
  readonly refused: number
  readonly refusedSites: readonly RefusedSite[]
}

export interface ReportFacts {
  readonly version: string
  readonly seeds: readonly string[]
  readonly startedAtMs: number
  readonly endedAtMs: number
  /** Over all runs of this crawl. */
  readonly seconds: number
  readonly cpuSeconds: number
  readonly urls: UrlCounts
  readonly robots: { readonly mode: RobotsReport['mode']; readonly maxFailures: number }
  readonly damaged: readonly string[]
  readonly routing: Report['routing']
  readonly routed: Report['routed']
  readonly repartitions: Report['repartitions']
  readonly warnings: readonly string[]
  /**
   * Compares with the previous crawl. Not called for a run that was interrupted: it reads all tables of both.
   */
  readonly compare: () => Promise<Report['recrawl']>
}

const TROUBLED_SITES = 100

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

/** Goes through all sites in pages and keeps the worst: memory stays bounded with a million sites. */
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
