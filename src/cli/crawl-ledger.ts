/** The ledger of a crawl for commands that look at it from outside, or change it. */
import { join } from 'node:path'
import { ConfigError } from '../config/index.js'
import type { Ledger } from '../ledger/index.js'
import { LEDGER_FILE, withLedgerCopy } from '../ledger/sqlite/index.js'
import { type FoundCrawl, findCrawl, hasRunningAgents, needTrusted } from '../runtime/access/index.js'
import { DirectoryLock } from '../runtime/directory/index.js'
import type { Platform } from '../runtime/platform/index.js'
import type { AddressOptions } from './options/index.js'

export function examplesOf(command: string): string {
  return `\nExamples:
  orbweaver ${command} my-crawl
  orbweaver ${command} --ledger postgres://crawler@db1/crawls --name example`
}

type Task = (ledger: Ledger, crawl: FoundCrawl) => Promise<void>

/** For commands that change the crawl. */
export async function withLedger(
  platform: Platform,
  directory: string | undefined,
  options: AddressOptions,
  task: Task,
): Promise<void> {
  const crawl = await findCrawl(platform, { ...options, directory })
  if (isForeign(crawl)) needTrusted(crawl)
  const ledger = await platform.ledgers.open(crawl.directory, crawl.config)
  return task(ledger, crawl).finally(() => ledger.close())
}

/**
 * For commands that change nothing. `unasked` is called instead when an untrusted directory names a database,
 * because a connection would send it the user's password.
 */
export async function withLedgerToRead(
  platform: Platform,
  directory: string | undefined,
  options: AddressOptions,
  task: Task,
  unasked: (crawl: FoundCrawl) => void,
): Promise<void> {
  const crawl = await findCrawl(platform, { ...options, directory })
  if (!isForeign(crawl)) {
    const ledger = await platform.ledgers.open(crawl.directory, crawl.config, 'read')
    return task(ledger, crawl).finally(() => ledger.close())
  }
  if (crawl.there) return unasked(crawl)
  // The file of --truth may be any file of this machine.
  const config = { ...crawl.config, truth: undefined }
  const path = join(crawl.directory ?? '', LEDGER_FILE)
  return withLedgerCopy(path, platform.clock.now, ledger => task(ledger, { ...crawl, config }))
}

/**
 * A directory that is not trusted: its ledger is not written, and a ledger in a database is not contacted.
 */
function isForeign({ distrust, isNamedByLedger }: FoundCrawl): boolean {
  return distrust !== null && !isNamedByLedger
}

/** Null for an untrusted directory: asking for its lock would write there. */
export async function isRunning(
  platform: Platform,
  ledger: Ledger,
  crawl: FoundCrawl,
): Promise<boolean | null> {
  const { there, directory } = crawl
  if (isForeign(crawl)) return null
  if (there || directory === null) return hasRunningAgents(ledger, platform.clock)
  const lock = DirectoryLock.take(directory)
  lock?.release()
  return lock === null
}

export async function needRunning(platform: Platform, ledger: Ledger, crawl: FoundCrawl): Promise<void> {
  if (await isRunning(platform, ledger, crawl)) return
  throw new ConfigError(
    crawl.directory === null
      ? `the crawl "${crawl.name}" is not running`
      : `no crawl is running in ${crawl.directory}`,
  )
}
