/** Where the ledger of a crawl is: in its directory, or in PostgreSQL under its name. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Bus, LocalBus } from '../bus/index.js'
import { ConfigError, type CrawlConfig } from '../config/index.js'
import { type Ledger, LedgerError, type OnUnavailable, retryingLedger } from '../ledger/index.js'
import type { CopyPolicy } from '../ledger/postgres/index.js'
import {
  LEDGER_FILE,
  openLedgerToRead,
  openSqliteLedger,
  refuseDamagedLedger,
} from '../ledger/sqlite/index.js'
import { type Millis, sleep } from '../model/index.js'
import { type PostgresPlace, readPostgresUrl } from '../model/url/index.js'
import { crawlName, holdsPages } from './crawl-directory.js'
import { checkPairNow } from './generation.js'
import { type LedgerHost, LedgerThread } from './ledger-host.js'
import { checkLedgerFile } from './recovery.js'
import { systemClock as clock } from './system-clock.js'
import { systemRandom as random } from './system-random.js'

const AGAIN_MS = 500

/** A ledger in the directory that is opened to be read is never written. */
export type LedgerUse = 'read' | 'write'

/** All that is needed to find it; can be sent to a thread. No password: that comes from the environment. */
export interface CrawlInDatabase {
  readonly place: PostgresPlace
  readonly crawl: string
}

export interface ProcessBus extends Bus {
  close(): Promise<void>
}

/** Null when the ledger is a file in the crawl's directory. */
export function inDatabase(config: CrawlConfig): CrawlInDatabase | null {
  if (config.ledger === undefined) return null
  const place = readPostgresUrl(config.ledger)
  if (typeof place === 'string') throw new ConfigError(place)
  return { place, crawl: crawlName(config) }
}

/**
 * The ledger of a crawl that was begun: for commands that look at it or change a setting. A ledger that does
 * not belong to `directory` is refused; null: this machine does not see the directory.
 */
export async function openLedger(
  directory: string | null,
  config: CrawlConfig,
  use: LedgerUse = 'write',
): Promise<Ledger> {
  const ledger = await openUnproved(directory, config, 'refuse', use)
  try {
    if (directory !== null) await checkPairNow(directory, ledger, config)
    return ledger
  } catch (error) {
    await ledger.close()
    throw error
  }
}

/** Whether it belongs to the directory is for the caller to find out, who must not write to it before. */
export async function openUnproved(
  directory: string | null,
  config: CrawlConfig,
  copies: CopyPolicy,
  use: LedgerUse = 'write',
): Promise<Ledger> {
  const there = inDatabase(config)
  if (there) return openPostgres(there, { create: false, copies })
  refuseDamagedLedger(directory ?? '')
  const path = join(directory ?? '', LEDGER_FILE)
  return use === 'read'
    ? openLedgerToRead(path, clock.now)
    : openSqliteLedger(path, { create: false, now: clock.now })
}

/** For whoever crawls: while the database is away its calls wait, and are sent again. */
export async function openWithRetry(there: CrawlInDatabase): Promise<Ledger> {
  return retryingLedger(await openPostgres(there, { create: false }), clock)
}

/** The same for a thread of a crawl that is under way: also for the way to it, it waits. */
export async function openWhenThere(there: CrawlInDatabase): Promise<Ledger> {
  for (;;)
    try {
      return await openWithRetry(there)
    } catch (error) {
      if (!(error instanceof LedgerError) || error.kind !== 'away') throw error
      await sleep(clock, AGAIN_MS)
    }
}

/** Throws if the database of a new crawl cannot take it: before its directory is made. */
export async function checkNewInDatabase(there: CrawlInDatabase): Promise<void> {
  const { checkNewCrawl } = await import('../ledger/postgres/index.js')
  await checkNewCrawl(there)
}

/**
 * The ledger of a crawl that this process is to run. What is wrong with it is said before anything starts.
 */
export async function hostLedger(
  directory: string,
  config: CrawlConfig,
  isNew: boolean,
  tell: (line: string) => void,
): Promise<LedgerHost> {
  const there = inDatabase(config)
  if (there) return hostInDatabase(there, directory, isNew, tell)
  const path = join(directory, LEDGER_FILE)
  checkLedgerFile(directory, path)
  refuseDamagedLedger(directory)
  const fresh = openSqliteLedger(path, { create: !existsSync(path), now: clock.now })
  await fresh.close()
  return new LedgerThread(path)
}

/** A new crawl must not be there yet. One whose first run died before it had a ledger is as good as new. */
async function hostInDatabase(
  there: CrawlInDatabase,
  directory: string,
  isNew: boolean,
  tell: (line: string) => void,
): Promise<LedgerHost> {
  const host = async (create: boolean) => ({
    ledger: retryingLedger(await openPostgres(there, { create, copies: 'adopt' }), clock, absence(tell)),
    connect: () => there,
  })
  try {
    return await host(isNew)
  } catch (error) {
    const isGone = error instanceof LedgerError && error.kind === 'missing' && !isNew
    if (!isGone || holdsPages(directory)) throw error
    return host(true)
  }
}

/** Says once that the database is away, and once that it is back. */
function absence(tell: (line: string) => void): OnUnavailable {
  let since: Millis | null = null
  return trouble => {
    if (trouble !== null && since === null) {
      since = clock.monotonic()
      tell(`${trouble.message}; the crawl waits for it, and nothing acknowledged is lost`)
    }
    if (trouble === null && since !== null) {
      tell(`the database answers again, after ${Math.round((clock.monotonic() - since) / 1000)} s`)
      since = null
    }
  }
}

/** A bus that reaches the other processes of the crawl. */
export async function openBus({ place, crawl }: CrawlInDatabase): Promise<ProcessBus> {
  const { PostgresBus } = await import('../bus/index.js')
  return new PostgresBus({ place, crawl, clock, random })
}

/** What is said in this process is heard in the others, and the other way round. */
export function bridge(bus: LocalBus, wide: ProcessBus): void {
  const end = bus.join()
  end.subscribe(message => wide.send(message))
  wide.subscribe(message => end.send(message))
}

/** Loaded only here: who crawls with SQLite need not read a client of PostgreSQL. */
async function openPostgres(
  { place, crawl }: CrawlInDatabase,
  how: { readonly create: boolean; readonly copies?: CopyPolicy },
): Promise<Ledger> {
  const { openPostgresLedger } = await import('../ledger/postgres/index.js')
  return openPostgresLedger({ place, crawl, ...how, clock })
}
