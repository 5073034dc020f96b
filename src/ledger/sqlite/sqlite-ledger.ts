/** The ledger on SQLite: every call one transaction, or many waiting calls one commit (the ledger thread). */
import type { CellId, Millis } from '../../model/index.js'
import {
  type Append,
  appendsAsText,
  type CommitResult,
  type InboxRow,
  type Ledger,
  LedgerError,
  type LinkBatch,
  ledgerOfCalls,
  linksAsText,
  type Pack,
  packAsText,
  rowsOf,
  type StoredBatch,
  type TextAppend,
  type TextLinkBatch,
  type TextPack,
} from '../index.js'
import { SqliteCells } from './sqlite-cells.js'
import { SqliteDatabase, translated } from './sqlite-database.js'
import { SqliteFiles, SwapRefused } from './sqlite-files.js'
import { SqliteInboxes } from './sqlite-inboxes.js'
import { SqliteIncarnations } from './sqlite-incarnations.js'
import { SqliteJournals } from './sqlite-journals.js'
import { SqliteOrder } from './sqlite-order.js'
import { SqlitePacks } from './sqlite-packs.js'
import { SqliteSiteFacts } from './sqlite-site-facts.js'
import { SqliteSplits } from './sqlite-splits.js'
import { readParked, readSites, readTotals } from './sqlite-totals.js'
import { SqliteTurns } from './sqlite-turns.js'
import { SqliteWork } from './sqlite-work.js'

export type LedgerMethod = Exclude<keyof Ledger, 'close'>

/** What runs inside a transaction: the same methods, answered at once, with the rows of inboxes as text. */
interface Calls
  extends Synchronous<Omit<Ledger, 'close' | 'append' | 'appendLinks' | 'commit' | 'readInbox'>> {
  append(appends: readonly TextAppend[]): boolean
  appendLinks(batch: TextLinkBatch): CommitResult
  readInbox(cell: CellId, after: number, limit: number): readonly StoredBatch[]
  commit(pack: TextPack): CommitResult
}

type Synchronous<T> = {
  [K in keyof T]: T[K] extends (...args: infer A) => Promise<infer R> ? (...args: A) => R : never
}

const READS: ReadonlySet<LedgerMethod> = new Set<LedgerMethod>([
  'readInbox',
  'readJournal',
  'readJournals',
  'readHeard',
  'loadOrigins',
  'refusedOrigins',
  'leases',
  'waits',
  'loadMeta',
  'settings',
  'files',
  'totals',
  'health',
  'parked',
  'agents',
  'agentWork',
  'laneLoads',
  'sites',
])

/** Its name in a crawl's directory. */
export const LEDGER_FILE = 'ledger.db'

export interface SqliteOptions {
  readonly create: boolean
  readonly now: () => Millis
  /** What errors name, where the ledger is a copy. */
  readonly original?: string
  /** Not for commands that only look, or change a setting. */
  readonly isCrawling?: boolean
}

export class SqliteCore {
  readonly #path: string
  readonly #db: SqliteDatabase
  readonly #calls: Calls

  constructor(path: string, db: SqliteDatabase, now: () => Millis) {
    this.#path = path
    this.#db = db
    this.#calls = callsOver(db, now)
  }

  static open(path: string, options: SqliteOptions): SqliteCore {
    return new SqliteCore(options.original ?? path, SqliteDatabase.open(path, options), options.now)
  }

  /** Runs calls in one commit; each answer stands alone, a failing one undoes only itself. */
  run(batch: readonly { method: LedgerMethod; args: readonly unknown[] }[]): PromiseSettledResult<unknown>[] {
    let results: PromiseSettledResult<unknown>[] = []
    const each = () => {
      results = batch.map(call => this.#settle(call.method, call.args))
      return results
    }
    if (batch.every(call => READS.has(call.method))) return each()
    try {
      return translated(this.#path, () => this.#db.transaction(each))
    } catch (error) {
      // What a call met first says more than the commit that then found nothing to commit.
      const reason = results.map(reasonOf).find(found => found instanceof LedgerError) ?? error
      return batch.map(() => ({ status: 'rejected', reason }))
    }
  }

  close(): void {
    this.#db.close()
  }

  #settle(method: LedgerMethod, args: readonly unknown[]): PromiseSettledResult<unknown> {
    const call = this.#calls[method] as (...values: unknown[]) => unknown
    const task = () => call(...args)
    try {
      const value = translated(this.#path, () => (READS.has(method) ? task() : this.#db.nested(task)))
      return { status: 'fulfilled', value }
    } catch (reason) {
      return reason instanceof SwapRefused
        ? { status: 'fulfilled', value: false }
        : { status: 'rejected', reason }
    }
  }
}

function reasonOf(result: PromiseSettledResult<unknown>): unknown {
  return result.status === 'rejected' ? result.reason : null
}

type Call = (method: LedgerMethod, args: readonly unknown[]) => Promise<unknown>

/** A ledger whose calls are carried out by `call`: in this thread, or by message in the ledger's own. */
export function ledgerOver(call: Call, close: () => Promise<void>): Ledger {
  return ledgerOfCalls(name => (name === 'close' ? close : methodOver(name, call)) as Ledger[typeof name])
}

function methodOver(name: LedgerMethod, call: Call): (...args: unknown[]) => Promise<unknown> {
  if (name === 'commit') return pack => call(name, [packAsText(pack as Pack)])
  if (name === 'appendLinks') return batch => call(name, [linksAsText(batch as LinkBatch)])
  if (name === 'append') return appends => call(name, [appendsAsText(appends as readonly Append[])])
  if (name === 'readInbox') return (...args) => inboxOver(call, ...(args as [CellId, number, number]))
  return (...args) => call(name, args)
}

async function inboxOver(call: Call, cell: CellId, after: number, limit: number): Promise<InboxRow[]> {
  const batches = await call('readInbox', [cell, after, limit])
  return rowsOf(batches as readonly StoredBatch[], after, limit)
}

/** The ledger in the caller's thread: for commands that look or change a setting, and for tests. */
export function openSqliteLedger(path: string, options: SqliteOptions): Ledger {
  const core = SqliteCore.open(path, options)
  const call = async (method: LedgerMethod, args: readonly unknown[]): Promise<unknown> => {
    const [result] = core.run([{ method, args }])
    if (result.status === 'rejected') throw result.reason
    return result.value
  }
  return ledgerOver(call, async () => core.close())
}

function callsOver(db: SqliteDatabase, now: () => Millis): Calls {
  const turns = new SqliteTurns(db, now)
  const incarnations = new SqliteIncarnations(db, now)
  const order = new SqliteOrder(db, now, turns)
  const inboxes = new SqliteInboxes(db)
  const splits = new SqliteSplits(db, inboxes)
  const cells = new SqliteCells(db, now, { order, turns, incarnations, splits })
  const work = new SqliteWork(db)
  const journals = new SqliteJournals(db, splits)
  const files = new SqliteFiles(db)
  const packs = new SqlitePacks(db, now, { inboxes, files, work })
  const facts = new SqliteSiteFacts(db)
  return {
    join: (name, lanes) => incarnations.join(name, lanes),
    leave: incarnation => cells.leave(incarnation),
    closeSilent: silentMs => cells.closeSilent(silentMs),
    takeSeat: (incarnation, leaseMs) => incarnations.takeSeat(incarnation, leaseMs),
    endAllLeases: () => cells.endAllLeases(),
    heartbeat: (incarnation, leaseMs, status) => cells.heartbeat(incarnation, leaseMs, status),
    waiting: (limit, able) => order.waiting(limit, able),
    grant: (incarnation, wanted, leaseMs, delayMs, lane) =>
      cells.grant(incarnation, wanted, leaseMs, delayMs, lane),
    leases: (incarnation, after) => cells.leases(incarnation, after),
    bind: cells => order.bind(cells),
    laneLoads: () => order.laneLoads(),
    estimate: sizes => order.estimate(sizes),
    rankBySize: () => order.rankBySize(),
    release: (cell, epoch, where) => cells.release(cell, epoch, where),
    finish: (cell, epoch) => cells.finish(cell, epoch),
    park: (cell, epoch, until, why) => cells.park(cell, epoch, until, why),
    defer: waits => order.defer(waits),
    rest: (cell, epoch, until) => cells.rest(cell, epoch, until),
    split: (cell, epoch, lastPack, children) => splits.split(cell, epoch, lastPack, children),
    append: appends => inboxes.append(appends),
    appendLinks: batch => packs.appendLinks(batch),
    readInbox: (cell, after, limit) => inboxes.readInbox(cell, after, limit),
    readJournal: (cell, from, maxBytes) => journals.readJournal(cell, from, maxBytes),
    readJournals: (after, maxBytes) => journals.readJournals(after, maxBytes),
    readHeard: (agent, after, limit) => work.readHeard(agent, after, limit),
    commit: pack => packs.commit(pack),
    takeTurn: (incarnation, group, leaseMs, delayMs) =>
      incarnations.isOpen(incarnation) ? turns.take(incarnation, group, leaseMs, delayMs) : null,
    releaseTurn: (incarnation, group, nextAllowed) => turns.release(incarnation, group, nextAllowed),
    saveWait: (group, nextAllowed, delayMs) => turns.saveWait(group, nextAllowed, delayMs),
    waits: groups => groups.map(group => turns.waitOf(group)),
    joinAddresses: (site, addresses, mostSites) => turns.joinAddresses(site, addresses, mostSites),
    loadOrigins: cell => facts.loadOrigins(cell),
    saveOrigin: (cell, state) => facts.saveOrigin(cell, state),
    refusedOrigins: limit => facts.refusedOrigins(limit),
    saveMeta: rows => facts.saveMeta(rows),
    saveFacts: rows => facts.saveFacts(rows),
    loadMeta: (cell, urls) => facts.loadMeta(cell, urls),
    takeBudget: (incarnation, held, want) => incarnations.takeBudget(incarnation, held, want),
    settings: () => cells.settings(),
    set: values => saveSettings(db, values),
    files: () => files.files(),
    swapFiles: (inputs, outputs, seat) => files.swapFiles(inputs, outputs, seat),
    tryEnd: () => cells.tryEnd(),
    reopen: () => cells.reopen(),
    totals: () => readTotals(db),
    health: () => ({ weaknesses: [], longTransactions: [] }),
    parked: limit => readParked(db, limit),
    agents: () => incarnations.agents(),
    agentWork: () => work.agentWork(),
    sites: (after, limit, which) => readSites(db, after, limit, which),
  }
}

function saveSettings(db: SqliteDatabase, values: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(values)) {
    db.run('INSERT OR REPLACE INTO setting VALUES (?, ?)', name, value)
    if (name === 'maxPages') db.run('UPDATE crawl SET max_pages = ?', value === '' ? null : Number(value))
  }
}
