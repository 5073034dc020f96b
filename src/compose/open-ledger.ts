/** The ledger of a crawl: SQLite in its directory, or PostgreSQL under its name. */

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { MessageChannel } from 'node:worker_threads'
import type { CrawlConfig } from '../config/index.js'
import { type Ledger, LedgerError, type OnUnavailable, retryingLedger } from '../ledger/index.js'
import type { CopyPolicy } from '../ledger/postgres/index.js'
import { threadLedger } from '../ledger/remote/index.js'
import {
  LEDGER_FILE,
  openLedgerToRead,
  openSqliteLedger,
  refuseDamagedLedger,
} from '../ledger/sqlite/index.js'
import { type Millis, sleep } from '../model/index.js'
import { checkPairNow, holdsPages } from '../runtime/directory/index.js'
import {
  type CrawlInDatabase,
  inDatabase,
  type LedgerHost,
  type Ledgers,
  type LedgerUse,
} from '../runtime/platform/index.js'
import { checkLedgerFile } from '../runtime/recovery/index.js'
import { OPEN_LEDGER_AGAIN_MS } from './limits.js'
import { startThread } from './start-thread.js'
import { systemClock as clock } from './system-clock.js'
import { systemRandom as random } from './system-random.js'

export const systemLedgers: Ledgers = {
  async open(directory, config, use) {
    const ledger = await openUnchecked(directory, config, 'refuse', use)
    try {
      if (directory !== null) await checkPairNow(directory, ledger, config)
      return ledger
    } catch (error) {
      await ledger.close()
      throw error
    }
  },
  openUnchecked,
  openWithRetry,
  async checkNew(there) {
    const { checkNewCrawl } = await import('../ledger/postgres/index.js')
    await checkNewCrawl(there)
  },
  async host(directory, config, isNew, tell) {
    const there = inDatabase(config)
    return there ? hostInDatabase(there, directory, isNew, tell) : hostInDirectory(directory)
  },
  async openBus({ place, crawl }) {
    const { PostgresBus } = await import('../bus/index.js')
    return new PostgresBus({ place, crawl, clock, random })
  },
}

async function openUnchecked(
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

async function openWithRetry(there: CrawlInDatabase): Promise<Ledger> {
  return retryingLedger(await openPostgres(there, { create: false }), clock)
}

/** For a thread of a crawl that is under way: waits for the database if it is away. */
export async function openWhenThere(there: CrawlInDatabase): Promise<Ledger> {
  for (;;)
    try {
      return await openWithRetry(there)
    } catch (error) {
      if (!(error instanceof LedgerError) || error.kind !== 'away') throw error
      await sleep(clock, OPEN_LEDGER_AGAIN_MS)
    }
}

/** SQLite in a thread of its own. It is opened here first, so that a problem is reported at the start. */
async function hostInDirectory(directory: string): Promise<LedgerHost> {
  const path = join(directory, LEDGER_FILE)
  checkLedgerFile(directory, path)
  refuseDamagedLedger(directory)
  await openSqliteLedger(path, { create: !existsSync(path), now: clock.now }).close()
  const thread = startThread('ledger-thread', { path }, { keepsFiles: true })
  return {
    ledger: threadLedger(thread),
    connect() {
      const { port1, port2 } = new MessageChannel()
      thread.postMessage(port1, [port1])
      return port2
    },
  }
}

/**
 * A new crawl must not have a ledger in the database yet. A crawl whose first run died before it made its
 * ledger counts as new.
 */
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

/** Reports once that the database is away, and once that it is back. */
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

/** Loaded on demand: a crawl with SQLite does not need the client of PostgreSQL. */
async function openPostgres(
  { place, crawl }: CrawlInDatabase,
  how: { readonly create: boolean; readonly copies?: CopyPolicy },
): Promise<Ledger> {
  const { openPostgresLedger } = await import('../ledger/postgres/index.js')
  return openPostgresLedger({ place, crawl, ...how, clock })
}
