/**
 * The ledger on PostgreSQL: every call one transaction, many callers at once, on as many machines as there
 * are.
 */
import type { Clock } from '../../model/index.js'
import type { PostgresPlace } from '../../model/url/index.js'
import type { Ledger } from '../index.js'
import * as cells from './postgres-cells.js'
import { placeName, textArray } from './postgres-connection.js'
import { type CopyPolicy, prepareCrawl, refuseTaken, schemaOf } from './postgres-crawls.js'
import { type DatabaseOptions, PostgresDatabase, type Transaction } from './postgres-database.js'
import { readFiles, swapFiles } from './postgres-files.js'
import { readHealth } from './postgres-health.js'
import { append, readInbox } from './postgres-inboxes.js'
import * as incarnations from './postgres-incarnations.js'
import { readJournal, readJournals } from './postgres-journals.js'
import * as leases from './postgres-leases.js'
import * as order from './postgres-order.js'
import { appendLinks, commit } from './postgres-packs.js'
import * as facts from './postgres-site-facts.js'
import { split } from './postgres-splits.js'
import { readParked, readSites, readTotals } from './postgres-totals.js'
import * as turns from './postgres-turns.js'
import { readAgentWork, readHeard } from './postgres-work.js'

export interface PostgresLedgerOptions extends Pick<DatabaseOptions, 'timeSql'> {
  readonly place: PostgresPlace
  /** Its name in the database. */
  readonly crawl: string
  /** Whether the crawl is to be made; it must not be there then, and must be there otherwise. */
  readonly create: boolean
  /** `refuse` unless something else is said. */
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

type Reads =
  | 'readInbox'
  | 'readJournal'
  | 'readJournals'
  | 'readHeard'
  | 'loadOrigins'
  | 'refusedOrigins'
  | 'leases'
  | 'waits'
  | 'loadMeta'
  | 'settings'
  | 'files'
  | 'totals'
  | 'health'
  | 'parked'
  | 'agents'
  | 'agentWork'
  | 'laneLoads'
  | 'sites'

function reads(db: PostgresDatabase, clock: Clock): Pick<Ledger, Reads> {
  return {
    readInbox: (cell, after, limit) => readInbox(db, clock, cell, after, limit),
    readJournal: (cell, from, maxBytes) => readJournal(db, cell, from, maxBytes),
    readJournals: (after, maxBytes) => readJournals(db, after, maxBytes),
    readHeard: (agent, after, limit) => readHeard(db, agent, after, limit),
    loadOrigins: cell => facts.loadOrigins(db, cell),
    refusedOrigins: limit => facts.refusedOrigins(db, limit),
    leases: (incarnation, after) => leases.leases(db, incarnation, after),
    waits: groups => turns.waits(db, groups),
    loadMeta: (cell, urls) => facts.loadMeta(db, cell, urls),
    settings: () => cells.settings(db),
    files: () => readFiles(db),
    totals: () => readTotals(db),
    health: heldUpMs => readHealth(db, heldUpMs),
    parked: limit => readParked(db, limit),
    agents: () => incarnations.readAgents(db),
    agentWork: () => readAgentWork(db),
    laneLoads: () => order.laneLoads(db),
    sites: (after, limit, which) => readSites(db, after, limit, which),
  }
}

function writes(db: PostgresDatabase): Omit<Ledger, Reads | 'close'> {
  const write = <T>(task: (tx: Transaction) => Promise<T>) => db.transaction(task)
  return {
    join: (agent, lanes) => write(tx => incarnations.join(tx, agent, lanes)),
    leave: incarnation => write(tx => cells.leave(tx, incarnation)),
    closeSilent: silentMs => write(tx => cells.closeSilent(tx, silentMs)),
    takeSeat: (incarnation, leaseMs) => write(tx => incarnations.takeSeat(tx, incarnation, leaseMs)),
    endAllLeases: () => write(cells.endAllLeases),
    heartbeat: (incarnation, leaseMs, status) =>
      write(tx => cells.heartbeat(tx, incarnation, leaseMs, status)),
    waiting: (limit, able) => write(tx => order.waiting(tx, limit, able)),
    grant: (incarnation, wanted, leaseMs, delayMs, lane) =>
      write(tx => leases.grant(tx, incarnation, wanted, leaseMs, delayMs, lane)),
    bind: bound => write(tx => order.bind(tx, bound)),
    estimate: sizes => write(tx => order.estimate(tx, sizes)),
    rankBySize: () => write(order.rankBySize),
    release: (cell, epoch, where) => write(tx => leases.release(tx, cell, epoch, where)),
    finish: (cell, epoch) => write(tx => cells.finish(tx, cell, epoch)),
    park: (cell, epoch, until, why) => write(tx => cells.park(tx, cell, epoch, until, why)),
    defer: waits => write(tx => order.defer(tx, waits)),
    rest: (cell, epoch, until) => write(tx => cells.rest(tx, cell, epoch, until)),
    split: (cell, epoch, lastPack, children) => write(tx => split(tx, cell, epoch, lastPack, children)),
    append: appends => append(db, appends),
    appendLinks: batch => write(tx => appendLinks(tx, batch)),
    commit: pack => write(tx => commit(tx, pack)),
    takeTurn: (incarnation, group, leaseMs, delayMs) =>
      write(async tx => {
        const incarnationRow = await tx.first(
          'SELECT open FROM agent WHERE incarnation = $1 FOR SHARE',
          incarnation,
        )
        if (incarnationRow?.[0] !== 1) return null
        const taken = await turns.takeTurns(tx, incarnation, [group], leaseMs, delayMs)
        return taken.get(group) ?? null
      }),
    releaseTurn: (incarnation, group, nextAllowed) =>
      write(tx => turns.releaseTurn(tx, incarnation, group, nextAllowed)),
    saveWait: (group, nextAllowed, delayMs) => write(tx => turns.saveWait(tx, group, nextAllowed, delayMs)),
    joinAddresses: (site, addresses, mostSites) =>
      write(tx => turns.joinAddresses(tx, site, addresses, mostSites)),
    saveOrigin: (cell, state) => write(tx => facts.saveOrigin(tx, cell, state)),
    saveMeta: rows => write(tx => facts.saveMeta(tx, rows)),
    saveFacts: rows => write(tx => facts.saveFacts(tx, rows)),
    takeBudget: (incarnation, held, want) =>
      write(tx => incarnations.takeBudget(tx, incarnation, held, want)),
    set: values => write(tx => saveSettings(tx, values)),
    swapFiles: (inputs, outputs, seat) => swapFiles(db, inputs, outputs, seat),
    tryEnd: () => write(cells.tryEnd),
    reopen: () => write(cells.reopen),
  }
}

async function saveSettings(tx: Transaction, values: Readonly<Record<string, string>>): Promise<void> {
  const names = Object.keys(values).sort()
  await tx.run(
    `INSERT INTO setting (name, value) SELECT * FROM unnest($1::text[], $2::text[])
     ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
    textArray(names),
    textArray(names.map(name => values[name])),
  )
  const { maxPages } = values
  if (maxPages !== undefined)
    await tx.run('UPDATE crawl SET max_pages = $1', maxPages === '' ? null : Number(maxPages))
}
