/** The ledger on SQLite: every call one transaction, or many waiting calls one commit (the ledger thread). */
import type { CellId } from '../model/cell.js'
import type { Millis } from '../model/clock.js'
import type { OutcomeCode } from '../model/outcome.js'
import {
  type Append,
  type CellState,
  type CommitResult,
  type FinishReason,
  type Ledger,
  LedgerError,
  type OutcomeCount,
  type Pack,
  type ParkedCell,
  type RefusedOrigins,
  type SiteSummary,
  type Totals,
} from './ledger.js'
import { appendsAsText, packAsText, type TextAppend, type TextPack } from './row-text.js'
import { SqliteCells } from './sqlite-cells.js'
import { SqliteDatabase, translated } from './sqlite-database.js'
import { SqliteLives } from './sqlite-lives.js'
import { SqlitePacks, SwapRefused } from './sqlite-packs.js'
import { SqliteTurns } from './sqlite-turns.js'
import { SqliteWork } from './sqlite-work.js'

export type LedgerMethod = Exclude<keyof Ledger, 'close'>

/** What runs inside a transaction: the same methods, answered at once, with the rows of inboxes as text. */
interface Calls extends Synchronous<Omit<Ledger, 'close' | 'append' | 'commit'>> {
  append(appends: readonly TextAppend[]): boolean
  commit(pack: TextPack): CommitResult
}

type Synchronous<T> = {
  [K in keyof T]: T[K] extends (...args: infer A) => Promise<infer R> ? (...args: A) => R : never
}

const CELL_STATES: readonly CellState[] = [
  'waiting',
  'resting',
  'leased',
  'draining',
  'finished',
  'parked',
  'closed',
]
const READS: ReadonlySet<LedgerMethod> = new Set<LedgerMethod>([
  'readInbox',
  'readJournal',
  'readJournals',
  'readHeard',
  'loadOrigins',
  'refusedOrigins',
  'leases',
  'loadMeta',
  'settings',
  'files',
  'totals',
  'parked',
  'agents',
  'agentWork',
  'sites',
])

export class SqliteCore {
  readonly #path: string
  readonly #db: SqliteDatabase
  readonly #calls: Calls

  constructor(path: string, options: { readonly create: boolean; readonly now: () => Millis }) {
    this.#path = path
    this.#db = SqliteDatabase.open(path, options.create)
    this.#calls = callsOver(this.#db, options.now)
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
  const methods = new Map<string, (...args: unknown[]) => Promise<unknown>>()
  const target = {} as Ledger
  return new Proxy(target, {
    get(_target, name) {
      if (typeof name !== 'string' || name === 'then') return undefined
      if (name === 'close') return close
      let method = methods.get(name)
      if (!method) {
        method = methodOver(name as LedgerMethod, call)
        methods.set(name, method)
      }
      return method
    },
  })
}

function methodOver(name: LedgerMethod, call: Call): (...args: unknown[]) => Promise<unknown> {
  if (name === 'commit') return pack => call(name, [packAsText(pack as Pack)])
  if (name === 'append') return appends => call(name, [appendsAsText(appends as readonly Append[])])
  return (...args) => call(name, args)
}

/** The ledger in the caller's thread: for commands that look or change a setting, and for tests. */
export function openSqliteLedger(path: string, options: { create: boolean; now: () => Millis }): Ledger {
  const core = new SqliteCore(path, options)
  const call = async (method: LedgerMethod, args: readonly unknown[]): Promise<unknown> => {
    const [result] = core.run([{ method, args }])
    if (result.status === 'rejected') throw result.reason
    return result.value
  }
  return ledgerOver(call, async () => core.close())
}

function callsOver(db: SqliteDatabase, now: () => Millis): Calls {
  const turns = new SqliteTurns(db, now)
  const lives = new SqliteLives(db, now)
  const cells = new SqliteCells(db, now, turns, lives)
  const work = new SqliteWork(db)
  const packs = new SqlitePacks(db, now, work)
  return {
    join: (name, lanes) => lives.join(name, lanes),
    leave: incarnation => cells.leave(incarnation),
    closeSilent: silentMs => cells.closeSilent(silentMs),
    takeSeat: (incarnation, leaseMs) => lives.takeSeat(incarnation, leaseMs),
    endAllLeases: () => cells.endAllLeases(),
    heartbeat: (incarnation, leaseMs, status) => cells.heartbeat(incarnation, leaseMs, status),
    waiting: (limit, able) => cells.waiting(limit, able),
    grant: (incarnation, wanted, leaseMs, delayMs, lane) =>
      cells.grant(incarnation, wanted, leaseMs, delayMs, lane),
    leases: (incarnation, after) => cells.leases(incarnation, after),
    estimate: sizes => cells.estimate(sizes),
    rankBySize: () => cells.rankBySize(),
    release: (cell, epoch, where) => cells.release(cell, epoch, where),
    finish: (cell, epoch) => cells.finish(cell, epoch),
    park: (cell, epoch, until, why) => cells.park(cell, epoch, until, why),
    defer: waits => cells.defer(waits),
    rest: (cell, epoch, until) => cells.rest(cell, epoch, until),
    append: appends => packs.append(appends),
    readInbox: (cell, after, limit) => packs.readInbox(cell, after, limit),
    readJournal: (cell, from, maxBytes) => packs.readJournal(cell, from, maxBytes),
    readJournals: (after, maxBytes) => packs.readJournals(after, maxBytes),
    readHeard: (agent, after, limit) => work.readHeard(agent, after, limit),
    commit: pack => packs.commit(pack),
    takeTurn: (incarnation, group, leaseMs, delayMs) => turns.take(incarnation, group, leaseMs, delayMs),
    releaseTurn: (incarnation, group, nextAllowed) => turns.release(incarnation, group, nextAllowed),
    saveWait: (group, nextAllowed, delayMs) => turns.saveWait(group, nextAllowed, delayMs),
    joinAddresses: (site, addresses, mostSites) => turns.joinAddresses(site, addresses, mostSites),
    loadOrigins: cell => packs.loadOrigins(cell),
    saveOrigin: (cell, state) => packs.saveOrigin(cell, state),
    refusedOrigins: limit => readRefusedOrigins(db, limit),
    saveMeta: rows => packs.saveMeta(rows),
    saveFacts: rows => packs.saveFacts(rows),
    loadMeta: (cell, urls) => packs.loadMeta(cell, urls),
    takeBudget: (incarnation, held, want) => lives.takeBudget(incarnation, held, want),
    settings: () => cells.settings(),
    set: values => saveSettings(db, values),
    files: () => packs.files(),
    swapFiles: (inputs, outputs, seat) => packs.swapFiles(inputs, outputs, seat),
    tryEnd: () => cells.tryEnd(),
    reopen: () => cells.reopen(),
    totals: () => readTotals(db),
    parked: limit => readParked(db, limit),
    agents: () => lives.agents(),
    agentWork: () => work.agentWork(),
    sites: (after, limit) => readSites(db, after, limit),
  }
}

function saveSettings(db: SqliteDatabase, values: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(values)) {
    db.run('INSERT OR REPLACE INTO setting VALUES (?, ?)', name, value)
    if (name === 'maxPages') db.run('UPDATE crawl SET max_pages = ?', value === '' ? null : Number(value))
  }
}

function readRefusedOrigins(db: SqliteDatabase, limit: number): RefusedOrigins {
  const refused = `FROM origin WHERE verdict = 'unavailable'`
  const [total] = db.first(`SELECT count(*) ${refused}`)!
  const rows = db.all(
    `SELECT origin, checked_at, failures, status, detail ${refused} ORDER BY origin LIMIT ?`,
    limit,
  )
  const first = rows.map(([origin, checkedAt, failures, status, detail]) => ({
    origin: String(origin),
    checkedAt: Number(checkedAt),
    failures: Number(failures),
    status: Number(status),
    detail: String(detail),
  }))
  return { total: Number(total), first }
}

function readTotals(db: SqliteDatabase): Totals {
  const [state, reason] = db.first('SELECT state, finish_reason FROM crawl')!
  const [pages, bytes, discovered, settled, backlog] = db
    .first(
      `SELECT coalesce(sum(pages), 0), coalesce(sum(bytes), 0), coalesce(sum(discovered), 0), coalesce(sum(settled), 0),
         coalesce(sum(appended - consumed), 0) FROM cell`,
    )!
    .map(Number)
  const cells = Object.fromEntries(CELL_STATES.map(name => [name, 0])) as Record<CellState, number>
  for (const [name, count] of db.all('SELECT state, count(*) FROM cell GROUP BY state'))
    cells[String(name) as CellState] = Number(count)
  const outcomes = db
    .all('SELECT code, sum(count), max(detail) FROM cell_outcome GROUP BY code ORDER BY 2 DESC')
    .map(outcomeCount)
  return {
    open: state === 'open',
    finishReason: reason === null ? null : (String(reason) as FinishReason),
    pages,
    bytes,
    discovered,
    settled,
    backlog,
    cells,
    outcomes,
  }
}

function readParked(db: SqliteDatabase, limit: number): ParkedCell[] {
  return db
    .all(
      `SELECT cell, parked_until, parked_why, discovered - settled + appended - consumed FROM cell
       WHERE state = 'parked' ORDER BY rank LIMIT ?`,
      limit,
    )
    .map(([cell, until, why, queued]) => ({
      cell: String(cell),
      until: Number(until),
      why: String(why),
      queued: Number(queued),
    }))
}

function readSites(db: SqliteDatabase, after: CellId, limit: number): SiteSummary[] {
  return db
    .all(
      `SELECT cell, state, pages, bytes, fetch_ms, discovered, settled, first_fetch, last_fetch FROM cell WHERE cell > ? ORDER BY cell LIMIT ?`,
      after,
      limit,
    )
    .map(([cell, state, pages, bytes, fetchMs, discovered, settled, firstFetch, lastFetch]) => ({
      cell: String(cell),
      state: String(state) as CellState,
      pages: Number(pages),
      bytes: Number(bytes),
      fetchMs: Number(fetchMs),
      firstFetch: Number(firstFetch),
      lastFetch: Number(lastFetch),
      discovered: Number(discovered),
      settled: Number(settled),
      outcomes: db
        .all('SELECT code, count, detail FROM cell_outcome WHERE cell = ?', String(cell))
        .map(outcomeCount),
    }))
}

function outcomeCount([code, count, detail]: readonly unknown[]): OutcomeCount {
  return { code: String(code) as OutcomeCode, count: Number(count), detail: String(detail) }
}
