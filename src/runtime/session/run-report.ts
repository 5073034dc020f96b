/** The last thing a run writes: the report, from what the ledger holds. */
import { join } from 'node:path'
import type { CrawlConfig } from '../../config/index.js'
import { writeSealed } from '../../files/index.js'
import type { Ledger } from '../../ledger/index.js'
import { LIMITS, type Millis, VERSION } from '../../model/index.js'
import { FrontierSpace } from '../../page/frontier/index.js'
import { buildReport, countUrls, KnownWeb, type Report, type UrlCounts } from '../../report/index.js'
import type { Log, TimeAndRandom } from '../directory/index.js'
import type { UsageTotal } from '../machine/index.js'
import { readRoutingRecord, repartitionsOf, routedOf } from '../routing/index.js'

/** Settings: whether the report of the last run is written, when that run began, what was not safe then. */
export const CONCLUDED = 'concluded'
export const STARTED_AT = 'run.startedAt'
export const WARNINGS = 'run.warnings'

export const REPORT_FILE = 'report.json'

/** Whether the last run wrote everything that a run writes at its end. */
export async function wasConcluded(ledger: Ledger): Promise<boolean> {
  return (await ledger.settings())[CONCLUDED] === 'true'
}

export interface ReportParts extends TimeAndRandom {
  readonly directory: string
  readonly config: CrawlConfig
  readonly ledger: Ledger
  readonly log: Log
  /** For the count of all URLs. */
  readonly scratch: string
}

export interface RunFacts extends UsageTotal {
  readonly startedAtMs: Millis
  readonly damaged: readonly string[]
}

export async function writeReport(parts: ReportParts, facts: RunFacts): Promise<Report> {
  const { directory, config, ledger, log, clock } = parts
  const endedAtMs = clock.now()
  const report = await buildReport(ledger, {
    ...facts,
    version: VERSION,
    seeds: config.seeds,
    endedAtMs,
    urls: await countAll(parts),
    robots: { mode: config.robots, maxFailures: config.robotsFailures },
    routing: await readRoutingRecord(ledger),
    routed: await routedOf(directory, ledger),
    repartitions: await repartitionsOf(ledger, clock.now()),
    warnings: JSON.parse((await ledger.settings())[WARNINGS] ?? '[]') as string[],
    compare: () => changesSince(directory, config, log),
  })
  writeSealed(join(directory, REPORT_FILE), REPORT_FILE, report)
  await ledger.set({ [CONCLUDED]: 'true' })
  log.info('end', { finishReason: report.finishReason, pages: report.pages })
  return report
}

/** How many URLs and pages the journals hold, and which of the known web (`--truth`) are among them. */
async function countAll({ scratch, config, ledger, log, random }: ReportParts): Promise<UrlCounts> {
  const space = new FrontierSpace({
    folder: scratch,
    seenBytes: LIMITS.countBytes,
    queueBytes: LIMITS.queueBytes,
    salt: Math.floor(random.next() * 2 ** 32),
  })
  try {
    return await countUrls(ledger, space, readKnownWeb(config, log))
  } finally {
    space.close()
  }
}

/** Without the file of `--truth`, the report lacks the exact figures; the crawl does not fail. */
function readKnownWeb({ truth }: CrawlConfig, log: Log): KnownWeb | null {
  if (truth === undefined) return null
  try {
    return KnownWeb.read(truth)
  } catch (error) {
    log.warn(`--truth ${truth}: ${(error as Error).message}`)
    return null
  }
}

/** Null without a previous crawl or without tables, and where one of the two cannot be read any more. */
async function changesSince(directory: string, config: CrawlConfig, log: Log): Promise<Report['recrawl']> {
  const { previous, tables } = config
  if (previous === undefined || tables === 'none') return null
  try {
    // Loaded on demand: it needs DuckDB.
    const { compareCrawls } = await import('../../data/query/index.js')
    return { previous, ...(await compareCrawls(previous, directory)) }
  } catch (error) {
    log.warn('cannot be compared with the previous crawl', { previous, error: (error as Error).message })
    return null
  }
}
