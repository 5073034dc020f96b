/**
 * orbweaver as a library.
 *
 *   for await (const page of crawl({ seeds: ['https://example.org/'], maxPages: 100 }))
 *     console.log(page.url, page.title)
 *
 *   const { parts } = partition({ hypergraph: readHypergraph('web.hgr', 'web.vw'), k: 16 })
 */
import type { CrawledPage } from './cluster/agent/lane/index.js'
import { systemPlatform } from './compose/index.js'
import { type CrawlConfigInput, checkConfig } from './config/index.js'
import { type QueryOptions, queryRows, type Row } from './data/query/index.js'
import type { GuestModule } from './page/guest/index.js'
import type { Report } from './report/index.js'
import { defaultDirectory } from './runtime/directory/index.js'
import { type CrawlSession, createSession, type RunOptions, resumeSession } from './runtime/session/index.js'

import { PageStream } from './runtime/threads/index.js'

export type { CrawledPage } from './cluster/agent/lane/index.js'
export { type PartitionOptions, partition } from './compose/index.js'
export { ConfigError, UntrustedError } from './config/index.js'
export type { QueryOptions, Row } from './data/query/index.js'
export { DamageError } from './files/index.js'
export { LedgerError } from './ledger/index.js'
export {
  defineGuest,
  type Facts,
  type GuestModule,
  type GuestPage,
  type ItemRow,
  type ItemValue,
  type PageElement,
  type Verdict,
} from './page/guest/index.js'
export type { Objective } from './plan/partition/index.js'
export {
  readAffinity,
  readFixed,
  readGroups,
  readHypergraph,
  readParts,
  readPrevious,
  readTargets,
  readWeights,
  writeParts,
} from './plan/partition/io/index.js'
export {
  type Affinity,
  type Hypergraph,
  type Partition,
  PartitionError,
} from './plan/partition/state/index.js'
export type { Report } from './report/index.js'
export { DirectoryBusyError, DiskFullError, NewerCrawlError } from './runtime/directory/index.js'

/**
 * All options of the command line in camel case. `guest` is the path of a module, or an object, which runs in
 * this process.
 */
export type CrawlOptions = Omit<CrawlConfigInput, 'guest'> & { readonly guest?: string | OwnGuest }

/** A guest with any types of its own. */
// biome-ignore lint/suspicious/noExplicitAny: the types are those of `defineGuest`.
export type OwnGuest = GuestModule<any, any>

export interface ResumeOptions {
  readonly guest?: OwnGuest
  readonly trust?: boolean
}

/**
 * A running crawl: iterate over its pages, or just await its report. The loop gets the pages of all agents of
 * this process as they are fetched, in no particular order, but not those of other processes (`orbweaver
 * agent`). If an agent dies before a page is acknowledged, the page is fetched again and comes twice.
 */
export interface Crawl extends AsyncIterable<CrawledPage> {
  readonly directory: string
  /** Resolves when the crawl has ended. */
  readonly report: Promise<Report>
  /** Commits the pages fetched so far and ends the run; `resume` continues it. */
  stop(): void
}

/**
 * Starts a crawl. Pages come as they are fetched, and the crawl waits for the loop, with any number of
 * agents: at most a few dozen pages are held for it. Leaving the loop, by `break` or by an exception, stops
 * the crawl and waits until it has ended; pages that were fetched by then are stored, also those that the
 * loop has not seen, and `resume` goes on after them.
 *
 * Throws a ConfigError if an option is invalid. A mistake in a module of a guest is found when it is
 * loaded: the loop and `report` reject with it. In both cases nothing was written.
 */
export function crawl(options: CrawlOptions): Crawl {
  const { guest, ...rest } = options
  const config = checkConfig({ ...rest, ...(typeof guest === 'string' ? { guest } : {}) })
  const directory = config.out ?? defaultDirectory(config, systemPlatform.clock.now())
  return run(options => createSession(systemPlatform, config, directory, options), guest)
}

/**
 * Continues the crawl in `directory`, however it ended; acknowledged pages do not come again. A guest has
 * to be given again if it was an object, but not if it was a module. Throws an UntrustedError for a
 * directory that this user did not make or that has changed since; `trust: true` trusts it from now on, with
 * the code and the database that it names.
 */
export function resume(directory: string, options: ResumeOptions = {}): Crawl {
  const { guest, trust } = options
  return run(options => resumeSession(systemPlatform, directory, { ...options, trust }), guest)
}

function run(open: (options: RunOptions) => CrawlSession, guest: string | OwnGuest | undefined): Crawl {
  const pages = new PageStream()
  const session = open({
    guest: typeof guest === 'string' ? undefined : guest,
    reader: pages,
  })
  const report = session.run().finally(() => pages.end())
  report.catch(() => {})
  return {
    directory: session.directory,
    report,
    stop: () => session.stop(),
    [Symbol.asyncIterator]: () => pages.iterate(report, () => session.stop()),
  }
}

/**
 * The rows that `sql` selects from the tables of a finished or running crawl in `directory`. Throws a
 * ConfigError if the directory or the SQL is invalid, and a DamageError if a file is damaged. A signal or
 * timeout takes effect between batches of rows, so a single long function call ends first.
 */
export function query(directory: string, sql: string, options: QueryOptions = {}): AsyncGenerator<Row> {
  return queryRows(directory, sql, options, systemPlatform.clock)
}
