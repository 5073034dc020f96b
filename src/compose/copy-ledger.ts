/**
 * Moves the ledger of a crawl that nobody works on from SQLite to PostgreSQL, or back. The store stays where
 * it is; its crawl.json says where the ledger is: until it is written the old one is the truth, and from then
 * on the new one. The new one has a generation of its own, so that the directory refuses the old one once the
 * copy is confirmed.
 */
import { existsSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { ConfigError } from '../config/index.js'
import { syncDirectory } from '../files/index.js'
import { type Ledger, LedgerError } from '../ledger/index.js'
import { copyTables } from '../ledger/sql/index.js'
import { LEDGER_FILE, openSqliteLedger, sqliteSource, sqliteTarget } from '../ledger/sqlite/index.js'
import { renewPageSums } from '../ledger/sqlite/pages/index.js'
import { sleep } from '../model/index.js'
import { takeLock } from '../runtime/index.js'
import { absolute, type CrawlFile, crawlName, readCrawlFile, writeCrawlFile } from './crawl-directory.js'
import { readRecord, saveRecord } from './crawl-record.js'
import { leaseNow } from './faults.js'
import { findCrawl, needTrusted } from './find-crawl.js'
import { announceGeneration, type NewGeneration } from './generation.js'
import { type CrawlInDatabase, inDatabase, openLedger } from './open-ledger.js'
import { alreadyRunningError, closeSilentIncarnations, hasRunningAgents } from './running-agents.js'
import { systemClock as clock } from './system-clock.js'
import { needTrust } from './trust.js'

export interface CopyResult {
  readonly directory: string
  readonly rows: number
}

const BEAT_MS = 1_000

/** From the directory of a crawl into a database, under its name or another. */
export async function copyToDatabase(
  given: string,
  ledger: string,
  name: string | undefined,
  trust?: boolean,
): Promise<CopyResult> {
  const directory = absolute(given)
  needTrust(directory, trust)
  const file = readCrawlFile(directory)
  if (file.config.ledger !== undefined)
    throw new ConfigError(`the ledger of ${given} is in a database already: ${file.config.ledger}`)
  const config = { ...file.config, ledger, name: name ?? crawlName(file.config) }
  const there = inDatabase(config)!
  const lock = takeLock(directory)
  try {
    const path = join(directory, LEDGER_FILE)
    const old = await openLedger(directory, file.config)
    await old.endAllLeases()
    const generation = await announceGeneration(directory, old)
    await old.close()
    const moved = { ...file, config }
    const rows = await fillDatabase(path, there, moved, directory, generation)
    writeCrawlFile(directory, moved)
    generation.confirm()
    for (const part of ['-wal', '-shm', '.sums', ''])
      if (existsSync(path + part)) renameSync(path + part, `${path}.copied${part}`)
    return { directory, rows }
  } finally {
    lock.release()
  }
}

async function fillDatabase(
  path: string,
  { place, crawl }: CrawlInDatabase,
  file: CrawlFile,
  directory: string,
  generation: NewGeneration,
): Promise<number> {
  const { postgresTarget } = await import('../ledger/postgres/index.js')
  const replaces = await isLeftOver(file)
  const target = await postgresTarget(place, crawl)
  const source = sqliteSource(path)
  try {
    const rows = await copyTables(source, target)
    const draft = await openLedger(null, { ...file.config, name: target.draft })
    try {
      await saveRecord(draft, file, directory)
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
 * A ledger of that name that this very crawl has had, or a copy of which nobody was told: it is no longer the
 * truth of anything.
 */
async function isLeftOver({ config, createdAt }: CrawlFile): Promise<boolean> {
  let known: Ledger
  try {
    known = await openLedger(null, config)
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

/** From a database into the directory of the crawl. */
export async function copyToDirectory(
  ledger: string,
  name: string,
  given: string,
  trust?: boolean,
): Promise<CopyResult> {
  needTrust(given, trust)
  const crawl = await findCrawl({ ledger, name, store: given, trust })
  needTrusted(crawl)
  const { config, file } = crawl
  const directory = absolute(given)
  const there = inDatabase(config)!
  const old = await openLedger(directory, config)
  try {
    if (await hasRunningAgents(old)) throw alreadyRunningError(name)
    await closeSilentIncarnations(old, name, leaseNow())
    const letGo = await holdSeat(old, name)
    try {
      const generation = await announceGeneration(directory, old)
      const rows = await fillDirectory(there, join(directory, LEDGER_FILE), generation)
      const { ledger: _, ...rest } = file.config
      writeCrawlFile(directory, { ...file, config: rest as CrawlFile['config'] })
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
  { place, crawl }: CrawlInDatabase,
  path: string,
  generation: NewGeneration,
): Promise<number> {
  const { postgresSource } = await import('../ledger/postgres/index.js')
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

/** Nobody may begin to crawl meanwhile: to others we are its coordinator. Returns how to let go. */
async function holdSeat(ledger: Ledger, name: string): Promise<() => Promise<void>> {
  const leaseMs = leaseNow()
  const incarnation = await ledger.join('copy', 0)
  const seat = await ledger.takeSeat(incarnation, leaseMs)
  if (seat === null) throw alreadyRunningError(name)
  const over = new AbortController()
  const beat = async () => {
    while (!over.signal.aborted) {
      await ledger.heartbeat(incarnation, leaseMs, JSON.stringify({ seat, place: null }))
      await sleep(clock, Math.min(BEAT_MS, leaseMs / 10), over.signal)
    }
  }
  const beating = beat().catch(() => {})
  return async () => {
    over.abort()
    await beating
    await ledger.leave(incarnation)
  }
}
