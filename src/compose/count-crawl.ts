/**
 * The count at the end: how many URLs and pages the journals hold, and what of the known web is among them.
 */

import type { CrawlConfig } from '../config/index.js'
import type { Ledger } from '../ledger/index.js'
import { LIMITS } from '../model/index.js'
import { FrontierSpace } from '../page/frontier/index.js'
import { countUrls, type UrlCounts } from '../report/index.js'
import { readKnownWeb } from './known-web.js'
import type { Log } from './log.js'
import { systemRandom as random } from './system-random.js'

export async function countCrawl(
  folder: string,
  config: CrawlConfig,
  ledger: Ledger,
  log: Log,
): Promise<UrlCounts> {
  const space = new FrontierSpace({
    folder,
    seenBytes: LIMITS.countBytes,
    queueBytes: LIMITS.queueBytes,
    salt: Math.floor(random.next() * 2 ** 32),
  })
  try {
    return await countUrls(ledger, space, readKnownWeb(config, log))
  } finally {
    space.close()
  }
}
