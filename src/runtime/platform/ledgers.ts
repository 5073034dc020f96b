/** The port through which the runtime reaches the ledger of a crawl, wherever it is. */
import type { MessagePort } from 'node:worker_threads'
import type { Bus } from '../../bus/index.js'
import { ConfigError, type CrawlConfig } from '../../config/index.js'
import type { Ledger } from '../../ledger/index.js'
import type { CopyPolicy } from '../../ledger/postgres/index.js'
import { type PostgresPlace, readPostgresUrl } from '../../model/url/index.js'
import { crawlName } from '../directory/index.js'

/** A SQLite ledger that is opened with `read` is never written. */
export type LedgerUse = 'read' | 'write'

/**
 * The address of a crawl in a database; can be sent to a thread. It has no password: that comes from the
 * environment.
 */
export interface CrawlInDatabase {
  readonly place: PostgresPlace
  readonly crawl: string
}

export interface ProcessBus extends Bus {
  close(): Promise<void>
}

/** The ledger of a crawl that this process runs, and a way to it for every agent with a thread of its own. */
export interface LedgerHost {
  readonly ledger: Ledger
  /**
   * Returns what an agent's thread needs to reach the ledger: a port to its thread, or the address of the
   * database.
   */
  connect(): MessagePort | CrawlInDatabase
}

export interface Ledgers {
  /**
   * For commands that read an existing crawl or change its settings. Throws a PairError if the ledger does
   * not belong to `directory`. `directory` is null if this machine does not see it.
   */
  open(directory: string | null, config: CrawlConfig, use?: LedgerUse): Promise<Ledger>
  /** Like `open`, but without the check for a PairError. The caller must make that check before it writes. */
  openUnchecked(
    directory: string | null,
    config: CrawlConfig,
    copies: CopyPolicy,
    use?: LedgerUse,
  ): Promise<Ledger>
  /** For a process that crawls: while the database is away, calls wait and are sent again. */
  openWithRetry(there: CrawlInDatabase): Promise<Ledger>
  /** Throws if the database cannot take a new crawl of that name. */
  checkNew(there: CrawlInDatabase): Promise<void>
  /** For the process that runs the crawl; throws when something is wrong with the ledger. */
  host(
    directory: string,
    config: CrawlConfig,
    isNew: boolean,
    tell: (line: string) => void,
  ): Promise<LedgerHost>
  /** A bus that reaches the other processes of the crawl. */
  openBus(there: CrawlInDatabase): Promise<ProcessBus>
}

/** Null when the ledger is a file in the crawl's directory. */
export function inDatabase(config: CrawlConfig): CrawlInDatabase | null {
  if (config.ledger === undefined) return null
  const place = readPostgresUrl(config.ledger)
  if (typeof place === 'string') throw new ConfigError(place)
  return { place, crawl: crawlName(config) }
}
