/** Opens a crawl for a repair, and keeps other processes from it meanwhile. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemPlatform } from '../compose/index.js'
import type { CrawlConfig } from '../config/index.js'
import type { Incarnation, Ledger } from '../ledger/index.js'
import type { Epoch } from '../model/index.js'
import { closeSilentIncarnations } from '../runtime/access/index.js'
import { crawlName, DirectoryBusyError } from '../runtime/directory/index.js'

export interface RepairCrawl {
  readonly directory: string
  /** Where new files are written: the directory itself, or a scratch folder in a dry run. */
  readonly target: string
  readonly scratch: string
  readonly ledger: Ledger
  readonly config: CrawlConfig
  /** The incarnation of this repair and its seat; 0 in a dry run. */
  readonly incarnation: Incarnation
  readonly seat: Epoch
  readonly now: number
  readonly salt: number
  readonly isDry: boolean
}

const NAME = 'repair'
const FOLDERS = ['archive', 'tables/pages', 'tables/links', 'tables/items', 'tables/sites']

/**
 * Runs `work` on the crawl. The caller holds the directory's lock; a crawl in a database must not be running.
 */
export async function withCrawl<T>(
  directory: string,
  config: CrawlConfig,
  isDry: boolean,
  work: (crawl: RepairCrawl) => Promise<T>,
): Promise<T> {
  const scratch = isDry ? mkdtempSync(join(tmpdir(), 'orbweaver-repair-')) : join(directory, 'frontier', NAME)
  const target = isDry ? join(scratch, 'target') : directory
  // Verify has compared it with the directory, or the pair is being repaired.
  const ledger = await systemPlatform.ledgers.openUnchecked(
    directory,
    config,
    'refuse',
    isDry ? 'read' : 'write',
  )
  try {
    rmSync(scratch, { recursive: true, force: true })
    for (const folder of FOLDERS) mkdirSync(join(target, folder), { recursive: true })
    mkdirSync(scratch, { recursive: true })
    const held = isDry ? NOBODY : await hold(ledger, directory, config)
    const { clock, random } = systemPlatform
    const made = { now: clock.now(), salt: Math.floor(random.next() * 2 ** 32) }
    try {
      return await work({ directory, target, scratch, ledger, config, ...held, ...made, isDry })
    } finally {
      if (!isDry) await ledger.leave(held.incarnation)
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true })
    await ledger.close()
  }
}

const NOBODY = { incarnation: 0, seat: 0 }

/** Ends the leases of a killed run and takes the coordinator's seat, which keeps others from the tables. */
async function hold(
  ledger: Ledger,
  directory: string,
  config: CrawlConfig,
): Promise<{ readonly incarnation: Incarnation; readonly seat: Epoch }> {
  if (config.ledger === undefined) await ledger.endAllLeases()
  else await closeSilentIncarnations(ledger, crawlName(config), systemPlatform)
  const incarnation = await ledger.join(NAME, 0)
  const seat = await ledger.takeSeat(incarnation, systemPlatform.leaseMs)
  if (seat !== null) return { incarnation, seat }
  await ledger.leave(incarnation)
  throw new DirectoryBusyError(`${directory} is being crawled; stop the crawl before the repair`)
}
