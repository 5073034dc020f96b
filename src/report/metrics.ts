/**
 * The figures by which parallel crawlers are judged (D23), from what the ledger knows: while a crawl runs,
 * and at its end.
 */
import type { AgentWork, Totals } from '../ledger/index.js'
import { outcomeRule } from '../model/index.js'
import type { UrlCounts } from './count-urls.js'
import { normalised, sampleStdev } from './workload.js'

export interface Metrics {
  /** Stored copies beyond the first, per unique page, counted. */
  readonly overlap: number
  /** Requests beyond the first for a URL, per unique page: retries, and repeats after a crash. */
  readonly overlapFetches: number
  readonly coverage: number
  /** True on a web whose size is unknown: acknowledged / (acknowledged + queued + failed). */
  readonly coverageIsEstimate: boolean
  /** Share of the N best pages that are among the N stored; null without ranks (`--truth`). */
  readonly quality: number | null
  /** Links exchanged between agents per page (L/N): rows that an agent read and another had found. */
  readonly communication: number
  /** Distinct (source page, target agent) among them, and distinct (source site, target agent). */
  readonly messages: number
  readonly coalescedMessages: number
  /** Sample standard deviation of the lanes' workloads. */
  readonly workloadStdev: number
}

export function measure(totals: Totals, agents: readonly AgentWork[], urls: UrlCounts): Metrics {
  const { pages } = totals
  const { pages: unique, truth } = urls
  const sum = (of: (agent: AgentWork) => number) => agents.reduce((total, agent) => total + of(agent), 0)
  const known = pages + queuedOf(totals) + failedOf(totals)
  const refetched = Math.max(0, sum(agent => agent.fetches) - urls.asked)
  const laneTimes = agents.flatMap(({ lanes }) => lanes.map(lane => lane.fetchMs))
  return {
    overlap: unique > 0 ? round((pages - unique) / unique) : 0,
    overlapFetches: unique > 0 ? round(refetched / unique) : 0,
    coverage: round(truth?.coverage ?? (known > 0 ? pages / known : 0)),
    coverageIsEstimate: truth === null,
    quality: truth === null || truth.quality === null ? null : round(truth.quality),
    communication: pages > 0 ? round(sum(agent => agent.links) / pages) : 0,
    messages: sum(agent => agent.messages),
    coalescedMessages: sum(agent => agent.coalescedMessages),
    workloadStdev: round(sampleStdev(normalised(laneTimes))),
  }
}

/** URLs that wait. */
export function queuedOf(totals: Totals): number {
  return totals.discovered - totals.settled + totals.backlog
}

export function failedOf(totals: Totals): number {
  return totals.outcomes
    .filter(({ code }) => outcomeRule(code).kind === 'failed')
    .reduce((sum, { count }) => sum + count, 0)
}

export function round(value: number): number {
  return Math.round(value * 1000) / 1000
}
