/**
 * The ledger on SQLite: each call is one transaction; the ledger thread commits many waiting calls together.
 */
import type { CellId, Millis } from '../../model/index.js'
import {
  type Append,
  type CommitResult,
  type InboxRow,
  type Ledger,
  LedgerError,
  type LedgerHealth,
  type LinkBatch,
  ledgerOfCalls,
  type Pack,
} from '../index.js'
import { READS, SHARED_READS, SHARED_WRITES, type Steps } from '../sql/index.js'
import {
  appendsAsText,
  linksAsText,
  packAsText,
  rowsOf,
  type StoredBatch,
  type TextAppend,
  type TextLinkBatch,
  type TextPack,
} from './row-text.js'
import { rankBySize, sqliteEngine } from './sqlite-counters.js'
import { answer, SqliteDatabase, translated } from './sqlite-database.js'
import { append, readInbox } from './sqlite-inboxes.js'
import { appendLinks, commit, saveFacts } from './sqlite-packs.js'
import { split } from './sqlite-splits.js'
import { readSites, readTotals } from './sqlite-totals.js'

export type LedgerMethod = Exclude<keyof Ledger, 'close'>

/** The calls inside a transaction: they answer at once, and rows of inboxes are text. */
interface Calls extends Synchronous<Omit<Ledger, 'close' | keyof TextCalls>>, TextCalls {}

interface TextCalls {
  append(db: SqliteDatabase, appends: readonly TextAppend[]): boolean
  appendLinks(db: SqliteDatabase, batch: TextLinkBatch): CommitResult
  readInbox(db: SqliteDatabase, cell: CellId, after: number, limit: number): readonly StoredBatch[]
  commit(db: SqliteDatabase, pack: TextPack): CommitResult
}

type Synchronous<T> = {
  [K in keyof T]: T[K] extends (...args: infer A) => Promise<infer R>
    ? (db: SqliteDatabase, ...args: A) => R
    : never
}

type SharedCalls = Pick<Calls, keyof typeof SHARED_READS | keyof typeof SHARED_WRITES>

const CALLS: Calls = {
  ...sharedCalls(),
  append,
  appendLinks,
  commit,
  health: (): LedgerHealth => ({ weaknesses: [], longTransactions: [] }),
  rankBySize,
  readInbox,
  saveFacts,
  sites: readSites,
  split,
  totals: readTotals,
}

function sharedCalls(): SharedCalls {
  type AnySteps = (...args: unknown[]) => Steps<unknown>
  const reads = Object.entries(SHARED_READS).map(([name, read]) => [
    name,
    (db: SqliteDatabase, ...args: unknown[]) => answer(db, (read as AnySteps)(...args)),
  ])
  const writes = Object.entries(SHARED_WRITES).map(([name, write]) => [
    name,
    (db: SqliteDatabase, ...args: unknown[]) =>
      answer(db, (write as AnySteps)(sqliteEngine(db.now), ...args)),
  ])
  return Object.fromEntries([...reads, ...writes]) as SharedCalls
}

const IS_READ: ReadonlySet<LedgerMethod> = new Set<LedgerMethod>(READS)

/** The name of the ledger file in a crawl directory. */
export const LEDGER_FILE = 'ledger.db'

export interface SqliteOptions {
  readonly create: boolean
  readonly now: () => Millis
  /** The path that errors name if the ledger is a copy. */
  readonly original?: string
  /** True if the opener crawls; absent for commands that only read or change a setting. */
  readonly isCrawling?: boolean
}

export class SqliteCore {
  readonly #path: string
  readonly #db: SqliteDatabase

  constructor(path: string, db: SqliteDatabase) {
    this.#path = path
    this.#db = db
  }

  static open(path: string, options: SqliteOptions): SqliteCore {
    return new SqliteCore(options.original ?? path, SqliteDatabase.open(path, options))
  }

  /** Runs calls in one commit; each has its own answer, and a failing one undoes only itself. */
  run(batch: readonly { method: LedgerMethod; args: readonly unknown[] }[]): PromiseSettledResult<unknown>[] {
    let results: PromiseSettledResult<unknown>[] = []
    const each = () => {
      results = batch.map(call => this.#settle(call.method, call.args))
      return results
    }
    if (batch.every(call => IS_READ.has(call.method))) return each()
    try {
      return translated(this.#path, () => this.#db.transaction(each))
    } catch (error) {
      // If a call failed and ended the transaction, its error is more useful than that of the commit.
      const reason = results.map(reasonOf).find(found => found instanceof LedgerError) ?? error
      return batch.map(() => ({ status: 'rejected', reason }))
    }
  }

  close(): void {
    this.#db.close()
  }

  #settle(method: LedgerMethod, args: readonly unknown[]): PromiseSettledResult<unknown> {
    const call = CALLS[method] as (db: SqliteDatabase, ...values: unknown[]) => unknown
    const task = () => call(this.#db, ...args)
    try {
      const value = translated(this.#path, () => (IS_READ.has(method) ? task() : this.#db.nested(task)))
      return { status: 'fulfilled', value }
    } catch (reason) {
      return { status: 'rejected', reason }
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

/** The ledger in the caller's thread: for commands that read or change a setting, and for tests. */
export function openSqliteLedger(path: string, options: SqliteOptions): Ledger {
  const core = SqliteCore.open(path, options)
  const call = async (method: LedgerMethod, args: readonly unknown[]): Promise<unknown> => {
    const [result] = core.run([{ method, args }])
    if (result.status === 'rejected') throw result.reason
    return result.value
  }
  return ledgerOver(call, async () => core.close())
}
