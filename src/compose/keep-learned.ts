/** The end of a run: what was learned is kept for the next crawl. Nothing that goes wrong here costs a page. */
import type { Ledger } from '../cluster/index.js'
import type { CrawlConfig } from '../config/index.js'
import { writeLearned } from '../learn/index.js'
import { readCrawlFile } from './crawl-directory.js'
import type { Log } from './log.js'
import { systemClock as clock } from './system.js'

export async function keepLearned(
  directory: string,
  ledger: Ledger,
  { previous }: CrawlConfig,
  log: Log,
): Promise<void> {
  try {
    const trouble = await writeLearned(ledger, {
      directory,
      crawl: readCrawlFile(directory).createdAt,
      now: clock.now(),
      previous: previous === undefined ? null : { directory: previous, crawl: begunAt(previous) },
    })
    if (trouble) log.warn('nothing is kept of what the previous crawl learned', { ...trouble })
  } catch (error) {
    log.warn('what was learned could not be written', { error: (error as Error).message })
  }
}

/** Empty when it is gone: no `learned/` says that. */
function begunAt(directory: string): string {
  try {
    return readCrawlFile(directory).createdAt
  } catch {
    return ''
  }
}
