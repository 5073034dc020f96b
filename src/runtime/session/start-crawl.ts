/** What a session does while it holds the coordinator's seat and before its first agent starts. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { type CrawlConfig, stateFolder } from '../../config/index.js'
import type { Ledger } from '../../ledger/index.js'
import { filedUnder, type Millis, sitemapMark, VERSION } from '../../model/index.js'
import { readPlan } from '../../page/politeness/phases/index.js'
import type { CrawlFile, Log } from '../directory/index.js'
import { beginGeneration, distrustOf, guestNamed, saveRecord, writeCrawlFile } from '../directory/index.js'
import type { Platform } from '../platform/index.js'
import {
  checkCommitted,
  checkRelation,
  quarantineUnlisted,
  type RecoverySummary,
  refuseDamagedFiles,
} from '../recovery/index.js'
import { planRoutes } from '../routing/index.js'
import { cellsOf, initialSettings, planOf, planSetting } from '../settings/index.js'
import type { StoreWorker } from '../threads/index.js'
import type { RunOptions } from './run-options.js'
import { CONCLUDED, STARTED_AT, WARNINGS } from './run-report.js'

export interface StartParts {
  readonly platform: Platform
  readonly directory: string
  readonly file: CrawlFile
  /** The settings of crawl.json as this run changes them. */
  readonly config: CrawlConfig
  readonly options: RunOptions
  readonly isNew: boolean
  readonly startedAtMs: Millis
  readonly ledger: Ledger
  readonly worker: StoreWorker
  readonly log: Log
  /** One line for the log and for people. */
  readonly tell: (line: string) => void
}

/** Proves that directory and ledger are a pair; from then on no other ledger belongs to the directory. */
export async function takeDirectory(parts: StartParts): Promise<void> {
  const { platform, directory, config, file, options, ledger, tell } = parts
  const { restored = false } = options
  refuseDamagedFiles(directory, await ledger.files())
  await checkRelation(directory, ledger, config, restored)
  if (restored) {
    const aside = await quarantineUnlisted(directory, ledger, platform.clock.now())
    if (aside) tell(`${aside.files} files that the ledger does not list are in ${aside.folder} now`)
  }
  await beginGeneration(directory, ledger, platform.random)
  if (options.ledger) writeCrawlFile(directory, file, platform.clock)
  if (restored) await checkCommitted(directory, ledger, config)
  // Before the first heartbeat: what ended the last run must not end this one.
  await ledger.set({ stop: '', [CONCLUDED]: '', [STARTED_AT]: String(parts.startedAtMs) })
}

/** Opens the crawl, seeds it, plans its routes, and cuts the files to what the ledger has committed. */
export async function prepareCrawl(
  parts: StartParts,
  recover: () => Promise<RecoverySummary>,
): Promise<void> {
  const { platform, directory, config, file, ledger, worker, log, tell } = parts
  await ledger.reopen()
  await seedCrawl(parts)
  await planRoutes({ directory, config, ledger, worker, warn: tell })
  await saveRecord(ledger, file, directory, platform.random)
  const recovered = await recover()
  log.info('start', { version: VERSION, robots: config.robots, ...recovered })
  if (config.guest !== undefined) log.info(`runs ${guestNamed(config)}`)
  if (distrustOf(directory) !== null) tell(`${stateFolder()} cannot be written: resume will ask for --trust`)
  const { weaknesses } = await ledger.health(platform.leaseMs)
  await ledger.set({ [WARNINGS]: JSON.stringify(weaknesses) })
  for (const line of weaknesses) tell(line)
  if (config.robots === 'ignore') log.warn('robots.txt is ignored (--robots ignore)')
  if (config.ledger === undefined) rmSync(join(directory, 'frontier'), { recursive: true, force: true })
}

/** Settings, the previous crawl and the seeds are written once; a run that died on the way does it again. */
async function seedCrawl({ platform, config, options, isNew, ledger, log }: StartParts): Promise<void> {
  const settings = await ledger.settings()
  if (settings.seeded === 'true') return
  // A run that died here has made a plan already, and cells are named by it.
  const plan = readPlan(settings) ?? planOf(config, platform.clock.now())
  const cells = cellsOf(plan)
  await ledger.set({ ...initialSettings(config), ...planSetting(plan) })
  if (config.previous !== undefined) {
    // Loaded on demand: it needs DuckDB.
    const { importPrevious } = await import('./recrawl.js')
    const previous = { directory: config.previous, isTrusted: isNew && options.trust === true }
    await importPrevious(platform, previous, { ledger, grouping: config.group, cells }, config, log)
  }
  const sitemaps = config.sitemap.filter(entry => entry !== 'robots' && entry !== 'none').map(sitemapMark)
  await ledger.append(
    [...config.seeds, ...sitemaps].map(url => ({
      cell: cells.cellOf(url),
      group: filedUnder(cells.cellOf(url), config.group),
      rows: [{ url, depth: 0, hops: 0, score: 1, via: '' }],
    })),
  )
  await ledger.set({ seeded: 'true' })
}
