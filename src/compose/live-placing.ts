/**
 * Live repartition of a real crawl: what it has learned so far is written to `learned/`, the store's thread partitions what is
 * left, and a table that is adopted takes the place of the one in the crawl directory, where the next coordinator finds it.
 */
import { renameSync } from 'node:fs'
import { join } from 'node:path'
import { type AgentView, type Assignment, readGraphWords } from '../assign/index.js'
import type { Ledger } from '../cluster/index.js'
import type { CrawlConfig } from '../config/index.js'
import { PART_OWNERS, type Proposal, placedAgents, sitesLeft } from '../coordinator/index.js'
import type { Millis } from '../model/clock.js'
import { locateFile, type OpenLog } from '../store/index.js'
import { readCrawlFile } from './crawl-directory.js'
import { keepLearned } from './keep-learned.js'
import type { Log } from './log.js'
import { ROUTING_FILE, saveNote } from './routing-note.js'
import type { StoreWorker } from './store-worker.js'
import { systemClock as clock } from './system.js'

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
  const left = await sitesLeft(ledger, assignment, agents)
  const made = await worker.repartition({
    from: directory,
    crawl: readCrawlFile(directory).createdAt,
    outPath: join(directory, NEXT_FILE),
    linkLogs: await openLogs(places, 'links-log'),
    pageLogs: await openLogs(places, 'pages-log'),
    agents: await placedAgents(ledger, agents, config.parts),
    left,
    delayMs,
    grouping: config.group,
    seed: config.assignSeed ?? 1,
    graph: config.assign === 'graph' ? readGraphWords(config.graph) : null,
  })
  if ('why' in made) return null
  const { owners, predicted, routes } = made
  return {
    predicted,
    left,
    adopt: async () => {
      renameSync(join(directory, NEXT_FILE), join(directory, ROUTING_FILE))
      await ledger.set({ [PART_OWNERS]: JSON.stringify(owners) })
      await saveNote(ledger, { ...routes, madeAt: new Date(clock.now()).toISOString() })
      const next = await renewed()
      next.owners?.restore(owners)
      return next
    },
  }
}

/** Those that are gone by the time they are read have become Parquet. */
async function openLogs({ directory, ledger }: LivePlaces, kind: string): Promise<OpenLog[]> {
  const logs = (await ledger.files()).filter(file => file.kind === kind)
  return logs.flatMap(({ name, bytes }) => {
    const path = locateFile(directory, name)
    return path === null ? [] : [{ path, committedBytes: bytes }]
  })
}
