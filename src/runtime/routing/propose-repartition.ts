/**
 * Repartition of a running crawl: writes what it has learned so far to `learned/` and has the store's thread
 * partition what is left. A table that is adopted replaces the one in the crawl directory, where the next
 * coordinator finds it.
 */
import { renameSync } from 'node:fs'
import { join } from 'node:path'
import { type Proposal, placedAgents, remainingSites } from '../../cluster/coordinator/index.js'
import { readGraphSettings } from '../../config/index.js'
import { locateFile } from '../../data/store/index.js'
import type { OpenLog } from '../../data/store/tables/index.js'
import type { Millis } from '../../model/index.js'
import type { AgentView, Assignment } from '../../plan/assign/index.js'
import { PART_OWNERS } from '../../plan/assign/learned/index.js'
import { readCrawlFile } from '../directory/index.js'
import { keepLearned, type LearnedPlaces } from './keep-learned.js'
import { ROUTING_FILE, saveRoutingRecord } from './routing-record.js'

const NEXT_FILE = 'learned/routing-next.bin'

/** Null with one agent, or when nothing was learned. */
export async function proposeRepartition(
  places: LearnedPlaces,
  assignment: Assignment,
  agents: readonly AgentView[],
  delayMs: Millis,
  renewed: () => Promise<Assignment>,
): Promise<Proposal | null> {
  const { directory, config, ledger, worker, clock } = places
  if (agents.length < 2) return null
  await keepLearned(places)
  const left = await remainingSites(ledger, assignment, agents)
  const made = await worker.repartition({
    from: directory,
    crawl: readCrawlFile(directory).createdAt,
    outPath: join(directory, NEXT_FILE),
    linkLogs: await openLogs(places, 'links-log'),
    pageLogs: await openLogs(places, 'pages-log'),
    // A number of parts says nothing of their size.
    agents: await placedAgents(ledger, agents, typeof config.parts === 'object' ? config.parts : undefined),
    left,
    delayMs,
    nets: config.nets,
    hasPulls: config.assign === 'hybrid',
    grouping: config.group,
    seed: config.assignSeed ?? 1,
    graph: config.assign === 'graph' ? readGraphSettings(config.graph) : null,
  })
  if ('why' in made) return null
  const { owners, predicted, routes } = made
  return {
    predicted,
    left,
    adopt: async () => {
      renameSync(join(directory, NEXT_FILE), join(directory, ROUTING_FILE))
      await ledger.set({ [PART_OWNERS]: JSON.stringify(owners) })
      await saveRoutingRecord(ledger, { ...routes, madeAt: new Date(clock.now()).toISOString() })
      const next = await renewed()
      next.owners?.restore(owners)
      return next
    },
  }
}

/** Logs that are gone by the time they are read have become Parquet. */
async function openLogs({ directory, ledger }: LearnedPlaces, kind: string): Promise<OpenLog[]> {
  const logs = (await ledger.files()).filter(file => file.kind === kind)
  return logs.flatMap(({ name, bytes }) => {
    const path = locateFile(directory, name)
    return path === null ? [] : [{ path, committedBytes: bytes }]
  })
}
