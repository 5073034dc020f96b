/**
 * What was learned is kept: at the end of a run for the next crawl, and while it runs for those who would
 * place it anew. The ledger is read here, a batch of sites at a time; the store's thread does the rest.
 * Nothing that goes wrong here costs a page.
 */

import type { CrawlConfig } from '../config/index.js'
import { type Ledger, siteSummaries } from '../ledger/index.js'
import { LIMITS } from '../model/index.js'
import { countOf, type SiteCount } from '../plan/learn/index.js'
import type { AgentAbilities } from '../runtime/index.js'
import { readCrawlFile } from './crawl-directory.js'
import type { Log } from './log.js'
import type { StoreWorker } from './store-worker.js'
import { systemClock as clock } from './system-clock.js'

export interface LearnedPlaces {
  readonly directory: string
  readonly config: CrawlConfig
  readonly ledger: Ledger
  readonly worker: StoreWorker
  readonly abilities: AgentAbilities
  readonly log: Log
}

const BATCH_SITES = 1_000

export async function keepLearned(places: LearnedPlaces): Promise<void> {
  const { directory, config, ledger, worker, abilities, log } = places
  const { previous, tables } = config
  try {
    const trouble = await worker.learn(batchesOf(ledger), async () => ({
      directory,
      crawl: readCrawlFile(directory).createdAt,
      now: clock.now(),
      hasLinks: tables !== 'none',
      files: (await ledger.files()).filter(({ kind }) => kind.startsWith('learned-')),
      agents: abilities.abilities(),
      previous: previous === undefined ? null : { directory: previous, crawl: begunAt(previous) },
    }))
    if (trouble) log.warn('nothing is kept of what the previous crawl learned', { ...trouble })
  } catch (error) {
    log.warn('what was learned could not be written', { error: (error as Error).message })
  }
}

/** Sites that were asked for anything, as many as are kept. */
async function* batchesOf(ledger: Ledger): AsyncGenerator<readonly SiteCount[]> {
  let batch: SiteCount[] = []
  let sites = 0
  for await (const summary of siteSummaries(ledger)) {
    const count = countOf(summary)
    if (count === null) continue
    if (++sites > LIMITS.learnedSites) break
    batch.push(count)
    if (batch.length < BATCH_SITES) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

/** Empty when it is gone: no `learned/` says that. */
function begunAt(directory: string): string {
  try {
    return readCrawlFile(directory).createdAt
  } catch {
    return ''
  }
}
