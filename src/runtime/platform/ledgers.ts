/** The port through which the runtime reaches the ledger of a crawl, wherever it is. */
import type { MessagePort } from 'node:worker_threads'
import type { Bus } from '../../bus/index.js'
import { ConfigError, type CrawlConfig } from '../../config/index.js'
import type { Ledger } from '../../ledger/index.js'
import type { CopyPolicy } from '../../ledger/postgres/index.js'
import { type PostgresPlace, readPostgresUrl } from '../../model/url/index.js'
import { crawlName } from '../directory/index.js'

/** A ledger in the directory that is opened to be read is never written. */
export type LedgerUse = 'read' | 'write'

/** All that is needed to find it; can be sent to a thread. No password: that comes from the environment. */
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
  /** What an agent's thread is given: the end of a new wire, or where to connect to. */
  connect(): MessagePort | CrawlInDatabase
}

export interface Ledgers {
  /**
   * For commands that look at a crawl that was begun, or change a setting. Throws a PairError for a ledger
   * that does not belong to `directory`; null: this machine does not see the directory.
   */
  open(directory: string | null, config: CrawlConfig, use?: LedgerUse): Promise<Ledger>
  /** The same without that check, which is then the caller's: it must not write before. */
  openUnproved(
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
