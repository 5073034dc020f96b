import type { CrawlConfig } from '../config/index.js'
import { KnownWeb } from '../report/index.js'
import type { Log } from './log.js'

/** What `--truth` names, or null. A file that went away meanwhile costs the exact figures, not the crawl. */
export function readKnownWeb({ truth }: CrawlConfig, log: Log): KnownWeb | null {
  if (truth === undefined) return null
  try {
    return KnownWeb.read(truth)
  } catch (error) {
    log.warn(`--truth ${truth}: ${(error as Error).message}`)
    return null
  }
}
