/**
 * Writes anew what is derived from ledger and tables: the table of sites, the manifest, what was learned, the
 * report.
 */

import type { CrawlConfig } from '../config/index.js'
import { manifestOf } from '../data/store/index.js'
import { writeManifest } from '../data/store/tables/index.js'
import type { Ledger } from '../ledger/index.js'
import type { Epoch } from '../model/index.js'
import { AgentAbilities, writeSitesTable } from '../runtime/index.js'
import { keepLearned } from './keep-learned.js'
import { Log } from './log.js'
import { STARTED_AT, writeReport } from './run-report.js'
import { StoreWorker } from './store-worker.js'
import { systemClock as clock } from './system-clock.js'

export interface DescribedCrawl {
  readonly directory: string
  readonly config: CrawlConfig
  readonly ledger: Ledger
  /** The caller holds the coordinator's seat. */
  readonly seat: Epoch
  readonly scratch: string
}

export interface Description {
  readonly sites: boolean
  readonly manifest: boolean
  readonly learned: boolean
  readonly report: boolean
}

export async function describeCrawl(crawl: DescribedCrawl, what: Description): Promise<void> {
  const { directory, ledger, seat } = crawl
  if (what.sites) await writeSitesTable(directory, ledger, seat)
  if (what.manifest || what.sites) writeManifest(directory, manifestOf(await ledger.files(), clock.now()))
  const log = new Log(directory)
  try {
    if (what.learned) await learnAgain(crawl, log)
    if (what.report) await reportAgain(crawl, log)
  } finally {
    log.close()
  }
}

async function learnAgain({ directory, config, ledger }: DescribedCrawl, log: Log): Promise<void> {
  const worker = new StoreWorker()
  try {
    const abilities = new AgentAbilities(ledger, () => clock.monotonic())
    await keepLearned({ directory, config, ledger, worker, abilities, log })
  } finally {
    await worker.close()
  }
}

async function reportAgain({ directory, config, ledger, scratch }: DescribedCrawl, log: Log): Promise<void> {
  const settings = await ledger.settings()
  await writeReport(directory, ledger, log, {
    config,
    startedAtMs: Number(settings[STARTED_AT] ?? 0),
    damaged: [],
    scratch,
    seconds: Number(settings['spent.seconds'] ?? 0),
    cpuSeconds: Number(settings['spent.cpuSeconds'] ?? 0),
  })
}
