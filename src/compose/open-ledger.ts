/** Where the ledger of a crawl is: in its directory, or in PostgreSQL under its name. */
import { join } from 'node:path'
import { LEDGER_FILE, type Ledger, LedgerError, openSqliteLedger } from '../cluster/index.js'
import { patientLedger } from '../cluster/patient-ledger.js'
import { ConfigError, type CrawlConfig } from '../config/index.js'
import { type PostgresPlace, readPostgresUrl } from '../model/postgres-url.js'
import { crawlName, holdsPages } from './crawl-directory.js'
import type { LedgerHost } from './ledger-host.js'
import { systemClock as clock } from './system.js'

/** All that is needed to find it; can be sent to a thread. No password: that comes from the environment. */
export interface CrawlInDatabase {
  readonly place: PostgresPlace
  readonly crawl: string
}

/** Null when the ledger is a file in the crawl's directory. */
export function inDatabase(config: CrawlConfig): CrawlInDatabase | null {
  if (config.ledger === undefined) return null
  const place = readPostgresUrl(config.ledger)
  if (typeof place === 'string') throw new ConfigError(place)
  return { place, crawl: crawlName(config) }
}

/** The ledger of a crawl that was begun: for commands that look at it or change a setting. */
export async function openLedger(directory: string, config: CrawlConfig): Promise<Ledger> {
  const there = inDatabase(config)
  if (there) return openPostgres(there, { create: false })
  return openSqliteLedger(join(directory, LEDGER_FILE), { create: false, now: clock.now })
}

/** For whoever crawls: while the database is away its calls wait, and are sent again. */
export async function openPatiently(there: CrawlInDatabase): Promise<Ledger> {
  return patientLedger(await openPostgres(there, { create: false }), clock)
}

/** A new crawl must not be there yet. One whose first run died before it had a ledger is as good as new. */
export async function hostInDatabase(
  there: CrawlInDatabase,
  directory: string,
  isNew: boolean,
): Promise<LedgerHost> {
  const host = async (create: boolean) => ({
    ledger: patientLedger(await openPostgres(there, { create, adopt: true }), clock),
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

/** Loaded only here: who crawls with SQLite need not read a client of PostgreSQL. */
async function openPostgres(
  { place, crawl }: CrawlInDatabase,
  how: { readonly create: boolean; readonly adopt?: boolean },
): Promise<Ledger> {
  const { openPostgresLedger } = await import('../cluster/postgres-ledger.js')
  return openPostgresLedger({ place, crawl, ...how, clock })
}
