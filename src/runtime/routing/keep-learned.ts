/**
 * Writes `learned/`: at the end of a run for the next crawl, and while it runs for a repartition. The ledger
 * is read here, a batch of sites at a time; the store's thread does the rest. A failure is logged and costs
 * no page.
 */

import type { CrawlConfig } from '../../config/index.js'
import { type Ledger, siteSummaries } from '../../ledger/index.js'
import { type Clock, inBatches, LIMITS } from '../../model/index.js'
import { countOf, type SiteCount } from '../../plan/learn/index.js'
import type { Log } from '../directory/index.js'
import { readCrawlFile } from '../directory/index.js'
import { KEEP_LEARNED_BATCH_SITES } from '../limits.js'
import type { AgentAbilities } from '../machine/index.js'

import type { PlanWorker } from './route-task.js'

export interface LearnedPlaces {
  readonly directory: string
  readonly config: CrawlConfig
  readonly ledger: Ledger
  readonly worker: PlanWorker
  readonly abilities: AgentAbilities
  readonly log: Log
  readonly clock: Clock
}

export async function keepLearned(places: LearnedPlaces): Promise<void> {
  const { directory, config, ledger, worker, abilities, log, clock } = places
  const { previous, tables } = config
  try {
    const trouble = await worker.learn(inBatches(countsOf(ledger), KEEP_LEARNED_BATCH_SITES), async () => ({
      directory,
      crawl: readCrawlFile(directory).createdAt,
      now: clock.now(),
      hasLinks: tables !== 'none',
      files: (await ledger.files()).filter(({ kind }) => kind.startsWith('learned-')),
      agents: abilities.abilities(),
      previous: previous === undefined ? null : { directory: previous, crawl: begunAt(previous) },
    }))
    if (trouble) log.warn('the learned data of the previous crawl could not be kept', { ...trouble })
  } catch (error) {
    log.warn('the learned data could not be written', { error: (error as Error).message })
  }
}

/** Sites that received a request, at most as many as are kept. */
async function* countsOf(ledger: Ledger): AsyncGenerator<SiteCount> {
  let sites = 0
  for await (const summary of siteSummaries(ledger)) {
    const count = countOf(summary)
    if (count === null) continue
    if (++sites > LIMITS.learnedSites) return
    yield count
  }
}

/** Empty when the directory is gone; no `learned/` has that value. */
function begunAt(directory: string): string {
  try {
    return readCrawlFile(directory).createdAt
  } catch {
    return ''
  }
}
