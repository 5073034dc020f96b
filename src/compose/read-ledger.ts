/**
 * The ledger of a crawl directory for whoever only reads it. One that is trusted is read in its place. Of any other a
 * ledger in the directory is read from a copy, and one in a database is not asked: that would send it our password.
 */
import { join } from 'node:path'
import { LEDGER_FILE, type Ledger, withLedgerCopy } from '../cluster/index.js'
import { readCrawlFile } from './crawl-directory.js'
import { openLedger } from './open-ledger.js'
import { systemClock as clock } from './system.js'
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
  if (!isTrusting && distrustOf(directory) !== null)
    return withLedgerCopy(join(directory, LEDGER_FILE), clock.now, task)
  const ledger = await openLedger(directory, readCrawlFile(directory).config)
  return task(ledger).finally(() => ledger.close())
}
