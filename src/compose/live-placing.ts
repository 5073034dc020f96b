/**
 * Live repartition of a real crawl: what it has learned so far is written to `learned/`, the store's thread partitions what is
 * left, and a table that is adopted takes the place of the one in the crawl directory, where the next coordinator finds it.
 */
import { renameSync } from 'node:fs'
import { join } from 'node:path'
import type { Report } from '../agent/index.js'
import type { AgentView, Assignment } from '../assign/index.js'
import type { Ledger } from '../cluster/index.js'
import type { CrawlConfig } from '../config/index.js'
import {
  PART_OWNERS,
  type Proposal,
  REPARTITIONS,
  type RepartitionRecord,
  sitesLeft,
} from '../coordinator/index.js'
import type { Millis } from '../model/clock.js'
import { readCrawlFile } from './crawl-directory.js'
import { keepLearned } from './keep-learned.js'
import type { Log } from './log.js'
import { LIVE_TABLE, ROUTING_FILE } from './routing-note.js'
import type { StoreWorker } from './store-worker.js'

const NEXT_FILE = 'learned/routing-next.bin'

export interface LivePlaces {
  readonly directory: string
  readonly config: CrawlConfig
  readonly ledger: Ledger
  readonly worker: StoreWorker
  readonly log: Log
}

/** Null where there is nobody to move anything to, or nothing to go by. */
export async function proposeRepartition(
  places: LivePlaces,
  assignment: Assignment,
  agents: readonly AgentView[],
  delayMs: Millis,
  renewed: () => Promise<Assignment>,
): Promise<Proposal | null> {
  const { directory, config, ledger, worker, log } = places
  if (agents.length < 2) return null
  await keepLearned(directory, ledger, config, log)
  const { parts } = config
  const made = await worker.repartition({
    from: directory,
    crawl: readCrawlFile(directory).createdAt,
    outPath: join(directory, NEXT_FILE),
    agents: agents.map(({ name, lanes }, i) => ({
      name,
      lanes,
      share: parts?.length === agents.length ? parts[i] : 1,
    })),
    left: await sitesLeft(ledger, assignment, agents),
    delayMs,
    grouping: config.group,
    seed: config.assignSeed ?? 1,
  })
  if ('why' in made) return null
  const { owners, ...predicted } = made
  return {
    predicted,
    adopt: async () => {
      renameSync(join(directory, NEXT_FILE), join(directory, ROUTING_FILE))
      await ledger.set({ [LIVE_TABLE]: 'true', [PART_OWNERS]: JSON.stringify(owners) })
      const next = await renewed()
      next.owners?.restore(owners)
      return next
    },
  }
}

/** What was predicted beside what then happened, for the report. */
export async function repartitionsOf(ledger: Ledger): Promise<Report['repartitions']> {
  const { [REPARTITIONS]: text = '[]' } = await ledger.settings()
  const work = await ledger.agentWork()
  const pages = work.reduce((sum, agent) => sum + agent.pages, 0)
  const messages = work.reduce((sum, agent) => sum + agent.messages, 0)
  return (JSON.parse(text) as RepartitionRecord[]).map(record => ({
    ...record,
    at: new Date(record.at).toISOString(),
    messagesPerPageBefore: record.pages > 0 ? record.messages / record.pages : 0,
    messagesPerPageAfter: pages > record.pages ? (messages - record.messages) / (pages - record.pages) : 0,
  }))
}
