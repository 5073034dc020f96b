/**
 * The figures of a simulated crawl (D23): those of a real crawl's report, and where this world knows better,
 * its own.
 */

import type { AgentWork, Ledger } from '../ledger/index.js'
import { type Metrics, measure } from '../report/index.js'

/** What was seen on the wire and on the disks. */
export interface Sightings {
  /** Stored copies beyond the first, per stored URL. */
  readonly overlap: number
  readonly acknowledged: number
  /** URLs that the web has. */
  readonly expected: number
  /** Page requests, robots.txt apart. */
  readonly fetches: number
  readonly urlsFetched: number
}

/** The promise is an overlap of 0; what crashes cost is `overlapFetches`. */
export async function metricsOf(
  ledger: Ledger,
  agents: readonly AgentWork[],
  seen: Sightings,
): Promise<Metrics> {
  const { overlap, acknowledged, expected, fetches, urlsFetched } = seen
  const urls = { pages: urlsFetched, asked: urlsFetched, truth: null }
  return {
    ...measure(await ledger.totals(), agents, urls),
    overlap,
    overlapFetches: urlsFetched === 0 ? 0 : (fetches - urlsFetched) / urlsFetched,
    coverage: acknowledged / expected,
    coverageIsEstimate: false,
  }
}
