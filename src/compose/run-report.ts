/** The last thing a run writes: the report, from what the ledger holds. */
import { join } from 'node:path'
import type { CrawlConfig } from '../config/index.js'
import { writeSealed } from '../files/index.js'
import type { Ledger } from '../ledger/index.js'
import { type Millis, VERSION } from '../model/index.js'
import { buildReport, type Report } from '../report/index.js'
import type { UsageTotal } from '../runtime/index.js'
import { readRoutingRecord, routedOf } from '../runtime/index.js'
import { countCrawl } from './count-crawl.js'
import type { Log } from './log.js'
import { repartitionsOf } from './repartition-report.js'
import { systemClock as clock } from './system-clock.js'

/**
 * Settings: whether the report of the last run is written, when that run began, and what was not safe then.
 */
export const CONCLUDED = 'concluded'
export const STARTED_AT = 'run.startedAt'
export const WARNINGS = 'run.warnings'

export const REPORT_FILE = 'report.json'

/** Whether the last run wrote everything that a run writes at its end. */
export async function wasConcluded(ledger: Ledger): Promise<boolean> {
  return (await ledger.settings())[CONCLUDED] === 'true'
}

export interface RunFacts extends UsageTotal {
  readonly config: CrawlConfig
  readonly startedAtMs: Millis
  readonly damaged: readonly string[]
  readonly scratch: string
}

export async function writeReport(
  directory: string,
  ledger: Ledger,
  log: Log,
  facts: RunFacts,
): Promise<Report> {
  const { config, startedAtMs, damaged, scratch, seconds, cpuSeconds } = facts
  const report = await buildReport(ledger, {
    version: VERSION,
    seeds: config.seeds,
    startedAtMs,
    endedAtMs: clock.now(),
    seconds,
    cpuSeconds,
    urls: await countCrawl(scratch, config, ledger, log),
    robots: { mode: config.robots, maxFailures: config.robotsFailures },
    damaged,
    routing: await readRoutingRecord(ledger),
    routed: await routedOf(directory, ledger),
    repartitions: await repartitionsOf(ledger),
    warnings: JSON.parse((await ledger.settings())[WARNINGS] ?? '[]') as string[],
    compare: () => changesSince(directory, config, log),
  })
  writeSealed(join(directory, REPORT_FILE), REPORT_FILE, report)
  await ledger.set({ [CONCLUDED]: 'true' })
  log.info('end', { finishReason: report.finishReason, pages: report.pages })
  return report
}

/** Null without a previous crawl or without tables, and where one of the two cannot be read any more. */
async function changesSince(directory: string, config: CrawlConfig, log: Log): Promise<Report['recrawl']> {
  const { previous, tables } = config
  if (previous === undefined || tables === 'none') return null
  try {
    // DuckDB is loaded by whoever needs it.
    const { compareCrawls } = await import('../data/query/index.js')
    return { previous, ...(await compareCrawls(previous, directory)) }
  } catch (error) {
    log.warn('cannot be compared with the previous crawl', { previous, error: (error as Error).message })
    return null
  }
}
