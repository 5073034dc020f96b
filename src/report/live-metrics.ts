/** The present figures of a crawl, running or not, from its ledger. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CrawlConfig } from '../config/index.js'
import type { Ledger, Totals } from '../ledger/index.js'
import { LIMITS } from '../model/index.js'
import { FrontierSpace } from '../page/frontier/index.js'
import { countUrls } from './count-urls.js'
import { KnownWeb } from './known-web.js'
import { type Metrics, measure } from './metrics.js'
import { type AgentReport, agentReports } from './report.js'

export interface LiveMetrics extends Metrics {
  /** The work of every agent and its lanes. */
  readonly work: readonly AgentReport[]
}

/**
 * Reads the journals once. The totals were read before, so pages acknowledged meanwhile do not count as
 * copies.
 */
export async function metricsNow(
  ledger: Ledger,
  totals: Totals,
  { truth }: CrawlConfig,
): Promise<LiveMetrics> {
  const folder = mkdtempSync(join(tmpdir(), 'orbweaver-metrics-'))
  const { seenBytes, queueBytes } = LIMITS
  const space = new FrontierSpace({ folder, seenBytes, queueBytes, salt: 0 })
  try {
    const work = await ledger.agentWork()
    const urls = await countUrls(ledger, space, truth === undefined ? null : KnownWeb.read(truth))
    const metrics = measure(totals, work, urls)
    // Negative when pages were acknowledged meanwhile.
    return { ...metrics, overlap: Math.max(0, metrics.overlap), work: agentReports(work) }
  } finally {
    space.close()
    rmSync(folder, { recursive: true, force: true })
  }
}
