/**
 * The ledger of a crawl directory for commands that only read it. If the directory is trusted, the ledger is
 * read in place. If not, a ledger in the directory is read from a copy, and a ledger in a database is not
 * contacted, because that would send it the user's password.
 */
import { join } from 'node:path'
import type { CrawlConfig } from '../../config/index.js'
import type { Ledger } from '../../ledger/index.js'
import { LEDGER_FILE, type LedgerCopy, openLedgerCopy, withLedgerCopy } from '../../ledger/sqlite/index.js'
import { distrustOf, needTrust, readCrawlFile } from '../directory/index.js'
import type { Platform } from '../platform/index.js'

/** Throws an UntrustedError where `readLedger` would; with `isTrusting`, trusts the directory from now on. */
export function needReadable(directory: string, platform: Platform, isTrusting = false): void {
  if (isTrusting || readCrawlFile(directory).config.ledger !== undefined)
    needTrust(directory, platform, isTrusting)
}

export async function readLedger<T>(
  platform: Platform,
  directory: string,
  isTrusting: boolean,
  task: (ledger: Ledger) => Promise<T>,
): Promise<T> {
  needReadable(directory, platform, isTrusting)
  const { config } = readCrawlFile(directory)
  if (isForeign(directory, config, isTrusting))
    return withLedgerCopy(join(directory, LEDGER_FILE), platform.clock.now, task)
  const ledger = await platform.ledgers.open(directory, config, 'read')
  return task(ledger).finally(() => ledger.close())
}

/**
 * Whether the ledger must be read from a copy, because SQLite would change its files. `config` is null when
 * crawl.json cannot be read: then the directory counts as untrusted and its ledger as a file.
 */
export function isForeign(directory: string, config: CrawlConfig | null, isTrusting: boolean): boolean {
  return config === null || (!isTrusting && distrustOf(directory) !== null)
}

/** For `verify`, which checks itself whether directory and ledger belong together. */
export async function openToVerify(
  platform: Platform,
  directory: string,
  config: CrawlConfig | null,
  isTrusting: boolean,
): Promise<LedgerCopy> {
  if (config !== null) needReadable(directory, platform, isTrusting)
  if (config === null || isForeign(directory, config, isTrusting))
    return openLedgerCopy(join(directory, LEDGER_FILE), platform.clock.now)
  const ledger = await platform.ledgers.openUnchecked(directory, config, 'refuse', 'read')
  return { ledger, close: () => ledger.close() }
}
