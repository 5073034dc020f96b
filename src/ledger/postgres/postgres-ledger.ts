/** The ledger on PostgreSQL: every call is one transaction; callers on many machines run in parallel. */
import type { Clock } from '../../model/index.js'
import type { PostgresPlace } from '../../model/url/index.js'
import type { Ledger } from '../index.js'
import { type READS, SHARED_READS, SHARED_WRITES, type Steps } from '../sql/index.js'
import { placeName } from './postgres-connection.js'
import { postgresEngine, rankBySize } from './postgres-counters.js'
import { type CopyPolicy, prepareCrawl, refuseTaken, schemaOf } from './postgres-crawls.js'
import { answer, type DatabaseOptions, PostgresDatabase, type Transaction } from './postgres-database.js'
import { readHealth } from './postgres-health.js'
import { append, readInbox } from './postgres-inboxes.js'
import { appendLinks, commit, saveFacts } from './postgres-packs.js'
import { split } from './postgres-splits.js'
import { readSites, readTotals } from './postgres-totals.js'

export interface PostgresLedgerOptions extends Pick<DatabaseOptions, 'timeSql'> {
  readonly place: PostgresPlace
  /** Its name in the database. */
  readonly crawl: string
  /** Make a new crawl, which must not exist yet; otherwise it must exist. */
  readonly create: boolean
  /** Default: `refuse`. */
  readonly copies?: CopyPolicy
  readonly clock: Clock
}

export async function openPostgresLedger(options: PostgresLedgerOptions): Promise<Ledger> {
  const { place, crawl, create, copies = 'refuse', clock, timeSql } = options
  const db = new PostgresDatabase({ place, schema: schemaOf(crawl), ...(timeSql && { timeSql }) })
  try {
    await prepareCrawl(db, crawl, placeName(place), { create, copies })
  } catch (error) {
    await db.close()
    throw error
  }
  return { ...writes(db), ...reads(db, clock), close: () => db.close() }
}

/** Throws a LedgerError if a new crawl of this name could not be made there. Writes nothing. */
export async function checkNewCrawl({
  place,
  crawl,
}: Pick<PostgresLedgerOptions, 'place' | 'crawl'>): Promise<void> {
  const db = new PostgresDatabase({ place, schema: schemaOf(crawl) })
  try {
    await refuseTaken(db, crawl, placeName(place))
  } finally {
    await db.close()
  }
}

type Reads = (typeof READS)[number]
type SharedWrites = keyof typeof SHARED_WRITES
type AnySteps = (...args: unknown[]) => Steps<unknown>

/** Outside of a transaction: several statements of one read may see different states. */
function reads(db: PostgresDatabase, clock: Clock): Pick<Ledger, Reads> {
  const shared = Object.entries(SHARED_READS).map(([name, read]) => [
    name,
    (...args: unknown[]) => answer(db, (read as AnySteps)(...args)),
  ])
  return {
    ...(Object.fromEntries(shared) as Pick<Ledger, keyof typeof SHARED_READS>),
    health: heldUpMs => readHealth(db, heldUpMs),
    readInbox: (cell, after, limit) => readInbox(db, clock, cell, after, limit),
    sites: (after, limit, which) => readSites(db, after, limit, which),
    totals: () => readTotals(db),
  }
}

type InTransaction<T> = {
  [K in keyof T]: T[K] extends (...args: infer A) => infer R ? (tx: Transaction, ...args: A) => R : never
}

const WRITES: InTransaction<Omit<Ledger, Reads | SharedWrites | 'append' | 'close'>> = {
  appendLinks,
  commit,
  rankBySize,
  saveFacts,
  split,
}

function writes(db: PostgresDatabase): Omit<Ledger, Reads | 'close'> {
  type Write = (tx: Transaction, ...args: unknown[]) => Promise<unknown>
  const shared = Object.entries(SHARED_WRITES).map(([name, write]): [string, Write] => [
    name,
    (tx, ...args) => answer(tx, (write as AnySteps)(postgresEngine(tx.now), ...args)),
  ])
  const calls = [...shared, ...(Object.entries(WRITES) as [string, Write][])].map(([name, write]) => [
    name,
    (...args: unknown[]) => db.transaction(tx => write(tx, ...args)),
  ])
  return {
    ...(Object.fromEntries(calls) as Omit<Ledger, Reads | 'append' | 'close'>),
    append: appends => append(db, appends),
  }
}
