/** The figures of a crawl as it stands now, from outside, whether it runs or not. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { countUrls, KnownWeb, type Metrics, measure } from '../agent/index.js'
import type { Ledger } from '../cluster/index.js'
import type { CrawlConfig } from '../config/index.js'
import { FrontierSpace } from '../frontier/index.js'
import { LIMITS } from '../model/limits.js'

/** Reads what the crawl has written down of its URLs, once through. */
export async function metricsNow(ledger: Ledger, { truth }: CrawlConfig): Promise<Metrics> {
  const folder = mkdtempSync(join(tmpdir(), 'orbweaver-metrics-'))
  const { seenBytes, queueBytes } = LIMITS
  const space = new FrontierSpace({ folder, seenBytes, queueBytes, salt: 0 })
  try {
    const urls = await countUrls(ledger, space, truth === undefined ? null : KnownWeb.read(truth))
    return measure(await ledger.totals(), await ledger.agentWork(), urls)
  } finally {
    space.close()
    rmSync(folder, { recursive: true, force: true })
  }
}
