/**
 * orbweaver as a library.
 *
 *   for await (const page of crawl({ seeds: ['https://example.org/'], maxPages: 100 })) console.log(page.url, page.title)
 *
 *   const { parts } = partition({ hypergraph: readHypergraph('web.hgr', 'web.vw'), k: 16 })
 */
import type { CrawledPage, Hooks, Report } from './agent/index.js'
import { createSession, defaultDirectory, systemClock } from './compose/index.js'
import { PageStream } from './compose/page-stream.js'
import { type CrawlConfigInput, checkConfig } from './config/index.js'

export type { CrawledPage, Hooks, Report } from './agent/index.js'
export { type PartitionOptions, partition } from './compose/partition.js'
export { ConfigError } from './config/index.js'
export {
  type Affinity,
  type Hypergraph,
  type Objective,
  type Partition,
  PartitionError,
} from './partition/index.js'
export {
  readFixed,
  readGroups,
  readHypergraph,
  readParts,
  readPrevious,
  readTargets,
  readWeights,
  writeParts,
} from './partition/io/index.js'
export { query } from './query/index.js'

/** Everything the command line takes, by its camel-case name, and hooks as functions or as a module path. */
export type CrawlOptions = Omit<CrawlConfigInput, 'hooks'> & { readonly hooks?: string | Hooks }

/** A crawl that is under way: iterate over its pages, or just await its report. */
export interface Crawl extends AsyncIterable<CrawledPage> {
  readonly directory: string
  /** Resolves when the crawl has ended. */
  readonly report: Promise<Report>
  /** Seals what there is and ends; `resume` goes on with it. */
  stop(): void
}

/**
 * Starts a crawl. Pages come as they are fetched, and the crawl waits for whoever iterates; a loop left early stops
 * it. Throws a ConfigError when something is wrong with the options.
 */
export function crawl(options: CrawlOptions): Crawl {
  const { hooks: given, ...rest } = options
  const inline = typeof given === 'object' ? given : {}
  const config = checkConfig({ ...rest, ...(typeof given === 'string' ? { hooks: given } : {}) })
  const directory = config.out ?? defaultDirectory(config, systemClock.now())
  const pages = new PageStream()
  const session =
    typeof given === 'string'
      ? createSession(config, directory)
      : createSession(config, directory, { ...inline, onPage: page => showTo(pages, inline, page) })
  const report = session.run().finally(() => pages.end())
  report.catch(() => {})
  return {
    directory,
    report,
    stop: () => session.stop(),
    [Symbol.asyncIterator]: () => pages.iterate(report, () => session.stop()),
  }
}

async function showTo(pages: PageStream, hooks: Hooks, page: CrawledPage): Promise<void> {
  await hooks.onPage?.(page)
  await pages.push(page)
}
