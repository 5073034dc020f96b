/**
 * The ledger of a crawl directory for whoever only reads it. One that is trusted is read in its place. Of any
 * other a ledger in the directory is read from a copy, and one in a database is not asked: that would send it
 * our password.
 */
import { join } from 'node:path'
import type { CrawlConfig } from '../config/index.js'
import type { Ledger } from '../ledger/index.js'
import { LEDGER_FILE, type LedgerCopy, openLedgerCopy, withLedgerCopy } from '../ledger/sqlite/index.js'
import { readCrawlFile } from './crawl-directory.js'
import { openLedger, openUnproved } from './open-ledger.js'
import { systemClock as clock } from './system-clock.js'
import { distrustOf, needTrust } from './trust.js'

/** Throws an UntrustedError where `readLedger` would; with `isTrusting`, trusts the directory from now on. */
export function needReadable(directory: string, isTrusting = false): void {
  if (isTrusting || readCrawlFile(directory).config.ledger !== undefined) needTrust(directory, isTrusting)
}

export async function readLedger<T>(
  directory: string,
  isTrusting: boolean,
  task: (ledger: Ledger) => Promise<T>,
): Promise<T> {
  needReadable(directory, isTrusting)
  const { config } = readCrawlFile(directory)
  if (isForeign(directory, config, isTrusting))
    return withLedgerCopy(join(directory, LEDGER_FILE), clock.now, task)
  const ledger = await openLedger(directory, config, 'read')
  return task(ledger).finally(() => ledger.close())
}

/**
 * Whether the files of its ledger must stay as they are, which only a copy of them can be opened for.
 * `config` is null where crawl.json cannot be read: then nothing says that the directory is trusted, nor that
 * its ledger is in a database.
 */
export function isForeign(directory: string, config: CrawlConfig | null, isTrusting: boolean): boolean {
  return config === null || (!isTrusting && distrustOf(directory) !== null)
}

/** For `verify`, which tells itself whether the directory and the ledger belong together. */
export async function openToVerify(
  directory: string,
  config: CrawlConfig | null,
  isTrusting: boolean,
): Promise<LedgerCopy> {
  if (config !== null) needReadable(directory, isTrusting)
  if (config === null || isForeign(directory, config, isTrusting))
    return openLedgerCopy(join(directory, LEDGER_FILE), clock.now)
  const ledger = await openUnproved(directory, config, 'refuse', 'read')
  return { ledger, close: () => ledger.close() }
}
