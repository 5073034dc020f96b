/**
 * Rewrites the files that are derived from ledger and tables: the table of sites, the manifest, the learned
 * data and the report.
 */

import { systemPlatform } from '../compose/index.js'
import type { CrawlConfig } from '../config/index.js'
import { manifestOf } from '../data/store/index.js'
import { writeManifest } from '../data/store/tables/index.js'
import type { Ledger } from '../ledger/index.js'
import type { Epoch } from '../model/index.js'
import { Log } from '../runtime/directory/index.js'
import { AgentAbilities } from '../runtime/machine/index.js'
import { keepLearned } from '../runtime/routing/index.js'
import { STARTED_AT, writeReport, writeSitesTable } from '../runtime/session/index.js'
import { StoreWorker } from '../runtime/threads/index.js'

const { clock, random, startThread } = systemPlatform

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
  const log = new Log(directory, clock)
  try {
    if (what.learned) await learnAgain(crawl, log)
    if (what.report) await reportAgain(crawl, log)
  } finally {
    log.close()
  }
}

async function learnAgain({ directory, config, ledger }: DescribedCrawl, log: Log): Promise<void> {
  const worker = new StoreWorker(startThread)
  try {
    const abilities = new AgentAbilities(ledger, () => clock.monotonic())
    await keepLearned({ directory, config, ledger, worker, abilities, log, clock })
  } finally {
    await worker.close()
  }
}

async function reportAgain(crawl: DescribedCrawl, log: Log): Promise<void> {
  const settings = await crawl.ledger.settings()
  await writeReport(
    { ...crawl, log, clock, random },
    {
      startedAtMs: Number(settings[STARTED_AT] ?? 0),
      damaged: [],
      seconds: Number(settings['spent.seconds'] ?? 0),
      cpuSeconds: Number(settings['spent.cpuSeconds'] ?? 0),
    },
  )
}
