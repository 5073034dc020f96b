/**
 * Moves the ledger of a crawl that is not running from SQLite to PostgreSQL, or back. The store stays where
 * it is. Its crawl.json says where the ledger is: until crawl.json is written the old ledger counts, and then
 * the new one. The new one has a new generation, so that the directory refuses the old one from then on.
 */

import { existsSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { ConfigError } from '../../config/index.js'
import { syncDirectory } from '../../files/index.js'
import { type Ledger, LedgerError } from '../../ledger/index.js'
import { copyTables } from '../../ledger/sql/index.js'
import { LEDGER_FILE, openSqliteLedger, sqliteSource, sqliteTarget } from '../../ledger/sqlite/index.js'
import { renewPageSums } from '../../ledger/sqlite/pages/index.js'
import { type Clock, sleep } from '../../model/index.js'
import {
  absolute,
  announceGeneration,
  type CrawlFile,
  crawlName,
  type NewGeneration,
  needTrust,
  readCrawlFile,
  readRecord,
  saveRecord,
  takeLock,
  writeCrawlFile,
} from '../directory/index.js'
import { COPY_LEDGER_BEAT_MS } from '../limits.js'
import { type CrawlInDatabase, inDatabase, type Ledgers, type Platform } from '../platform/index.js'
import { findCrawl, needTrusted } from './find-crawl.js'
import { alreadyRunningError, closeSilentIncarnations, hasRunningAgents } from './running-agents.js'

export interface CopyResult {
  readonly directory: string
  readonly rows: number
}

/**
 * Copies the ledger from the directory of a crawl into a database, under the name of the crawl or another
 * name.
 */
export async function copyToDatabase(
  platform: Platform,
  given: string,
  ledger: string,
  name: string | undefined,
  trust?: boolean,
): Promise<CopyResult> {
  const directory = absolute(given)
  needTrust(directory, platform, trust)
  const file = readCrawlFile(directory)
  if (file.config.ledger !== undefined)
    throw new ConfigError(`the ledger of ${given} is in a database already: ${file.config.ledger}`)
  const config = { ...file.config, ledger, name: name ?? crawlName(file.config) }
  const there = inDatabase(config)!
  const lock = takeLock(directory)
  try {
    const path = join(directory, LEDGER_FILE)
    const old = await platform.ledgers.open(directory, file.config)
    await old.endAllLeases()
    const generation = await announceGeneration(directory, old, platform.random)
    await old.close()
    const moved = { ...file, config }
    const rows = await fillDatabase(platform, path, there, moved, directory, generation)
    writeCrawlFile(directory, moved, platform.clock)
    generation.confirm()
    for (const part of ['-wal', '-shm', '.sums', ''])
      if (existsSync(path + part)) renameSync(path + part, `${path}.copied${part}`)
    return { directory, rows }
  } finally {
    lock.release()
  }
}

async function fillDatabase(
  { ledgers, random }: Platform,
  path: string,
  { place, crawl }: CrawlInDatabase,
  file: CrawlFile,
  directory: string,
  generation: NewGeneration,
): Promise<number> {
  const { postgresTarget } = await import('../../ledger/postgres/index.js')
  const replaces = await isLeftOver(ledgers, file)
  const target = await postgresTarget(place, crawl)
  const source = sqliteSource(path)
  try {
    const rows = await copyTables(source, target)
    const draft = await ledgers.open(null, { ...file.config, name: target.draft })
    try {
      await saveRecord(draft, file, directory, random)
      await draft.set(generation.settings)
    } finally {
      await draft.close()
    }
    await target.publish(replaces)
    return rows
  } finally {
    source.close()
    await target.close()
  }
}

/**
 * Whether the database has a ledger of that name which an earlier copy of this very crawl has left. It may be
 * replaced; a ledger of another crawl may not.
 */
async function isLeftOver(ledgers: Ledgers, { config, createdAt }: CrawlFile): Promise<boolean> {
  let known: Ledger
  try {
    known = await ledgers.open(null, config)
  } catch (error) {
    if (error instanceof LedgerError && error.kind === 'missing') return false
    throw error
  }
  const record = await readRecord(known).finally(() => known.close())
  if (record?.file.createdAt === createdAt) return true
  throw new LedgerError(
    'taken',
    `there is a crawl named "${crawlName(config)}" in ${config.ledger} already: choose another --name`,
  )
}

/** Copies the ledger from a database into the directory of the crawl. */
export async function copyToDirectory(
  platform: Platform,
  ledger: string,
  name: string,
  given: string,
  trust?: boolean,
): Promise<CopyResult> {
  needTrust(given, platform, trust)
  const crawl = await findCrawl(platform, { ledger, name, store: given, trust })
  needTrusted(crawl)
  const { config, file } = crawl
  const directory = absolute(given)
  const there = inDatabase(config)!
  const old = await platform.ledgers.open(directory, config)
  try {
    if (await hasRunningAgents(old, platform.clock)) throw alreadyRunningError(name)
    await closeSilentIncarnations(old, name, platform)
    const letGo = await holdSeat(platform, old, name)
    try {
      const generation = await announceGeneration(directory, old, platform.random)
      const rows = await fillDirectory(platform.clock, there, join(directory, LEDGER_FILE), generation)
      const { ledger: _, ...rest } = file.config
      writeCrawlFile(directory, { ...file, config: rest as CrawlFile['config'] }, platform.clock)
      generation.confirm()
      return { directory, rows }
    } finally {
      await letGo()
    }
  } finally {
    await old.close()
  }
}

async function fillDirectory(
  clock: Clock,
  { place, crawl }: CrawlInDatabase,
  path: string,
  generation: NewGeneration,
): Promise<number> {
  const { postgresSource } = await import('../../ledger/postgres/index.js')
  const draft = `${path}.copy`
  for (const part of ['', '-wal', '-shm', '.sums']) rmSync(draft + part, { force: true })
  const source = postgresSource(place, crawl)
  const target = sqliteTarget(draft, generation.settings)
  try {
    const rows = await copyTables(source, target)
    target.close()
    for (const part of ['-wal', '-shm'])
      if (existsSync(path + part)) throw new LedgerError('busy', `${path} is in use by another process`)
    renameSync(draft, path)
    syncDirectory(join(path, '..'))
    await openSqliteLedger(path, { create: false, now: clock.now }).close()
    renewPageSums(path)
    return rows
  } finally {
    await source.close()
  }
}

/**
 * Keeps other processes from crawling by holding the coordinator's seat. Returns the function that releases
 * the seat.
 */
async function holdSeat(
  { clock, leaseMs }: Platform,
  ledger: Ledger,
  name: string,
): Promise<() => Promise<void>> {
  const incarnation = await ledger.join('copy', 0)
  const seat = await ledger.takeSeat(incarnation, leaseMs)
  if (seat === null) throw alreadyRunningError(name)
  const over = new AbortController()
  const beat = async () => {
    while (!over.signal.aborted) {
      await ledger.heartbeat(incarnation, leaseMs, JSON.stringify({ seat, place: null }))
      await sleep(clock, Math.min(COPY_LEDGER_BEAT_MS, leaseMs / 10), over.signal)
    }
  }
  const beating = beat().catch(() => {})
  return async () => {
    over.abort()
    await beating
    await ledger.leave(incarnation)
  }
}
