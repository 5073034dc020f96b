/**
 * Before the start, for a learned assignment: the store's thread reads what the previous crawl learned,
 * partitions it and writes the routing table into the crawl directory, where every coordinator finds it. The
 * table is made once, and a resumed crawl uses the same. If none can be made, a warning says why, and sites
 * are assigned without it.
 */
import { join } from 'node:path'
import { type CrawlConfig, isLearned, readGraphSettings } from '../../config/index.js'
import type { Ledger } from '../../ledger/index.js'
import { siteOf } from '../../model/url/index.js'
import { PART_OWNERS } from '../../plan/assign/learned/index.js'
import { readCrawlFile } from '../directory/index.js'
import type { Heavy, PlanWorker, Routes, RouteTask } from './route-task.js'
import {
  ROUTING_FILE,
  type RoutingRecord,
  readRoutingRecord,
  readTable,
  saveRoutingRecord,
} from './routing-record.js'
import { begunSplits, endSplits, splitHeavy, splitsHeavy } from './split-heavy.js'

export interface RoutePlaces {
  readonly directory: string
  readonly config: CrawlConfig
  readonly ledger: Ledger
  readonly worker: PlanWorker
  /** One line for people. */
  readonly warn: (line: string) => void
}

export async function planRoutes(places: RoutePlaces): Promise<void> {
  const { config, ledger, warn } = places
  if (!isLearned(config.assign) || (await readRoutingRecord(ledger)) !== null) return
  const note = await makeRoutes(places)
  if ('why' in note) warn(inWords(config, note.why))
  else if (note.nets === 0) warn(withoutNets(config))
  await saveRoutingRecord(ledger, note)
  await endSplits(ledger)
}

function inWords({ assign }: CrawlConfig, why: string): string {
  const instead = assign === 'hybrid' ? 'dynamic' : 'hash'
  return `--assign ${assign} has no learned data to use, sites go to agents as with ${instead}: ${why}`
}

/**
 * For a previous crawl that knows sites but no links between them, because it kept no tables or no page links
 * to another site.
 */
function withoutNets({ assign, previous }: CrawlConfig): string {
  const rest = assign === 'graph' ? 'balance and distance' : 'balance'
  return `--assign ${assign} uses ${rest} only: ${previous} has learned sites, but no links between them (was it crawled with --tables none?)`
}

async function makeRoutes(places: RoutePlaces): Promise<RoutingRecord> {
  const { config, directory, worker, ledger } = places
  const { previous, agents, parts = agents } = config
  if (previous === undefined) return { why: 'no --previous crawl to learn from' }
  const task: RouteTask = {
    from: previous,
    crawl: readCrawlFile(previous).createdAt,
    parts: typeof parts === 'number' ? parts : parts.length,
    shares: typeof parts === 'number' ? null : parts,
    // Seeds of the configuration only: the ledger already has the URLs of the previous crawl, which would all
    // be known.
    seeds: [...new Set(config.seeds.map(siteOf))],
    nets: config.nets,
    hasPulls: config.assign === 'hybrid',
    grouping: config.group,
    seed: config.assignSeed ?? 1,
    graph: config.assign === 'graph' ? readGraphSettings(config.graph) : null,
    names: agentNames(agents),
    outPath: join(directory, ROUTING_FILE),
    splits: splitsHeavy(config) ? await begunSplits(ledger) : [],
  }
  if (task.parts < 2) return { why: 'there is only one agent, which gets every site' }
  const made = await routesOf(task, worker, ledger)
  if ('why' in made) return made
  if (readTable(directory, config) === null) return { why: `${task.outPath} cannot be read` }
  // Measurements of an agent are valid for its own part only, so the owners of the parts are fixed.
  if (made.owners) await ledger.set({ [PART_OWNERS]: JSON.stringify(made.owners) })
  return made
}

/** Sites that are too heavy are split on the way. */
async function routesOf(task: RouteTask, worker: PlanWorker, ledger: Ledger): Promise<Routes> {
  const tried = (asked: RouteTask): Promise<Routes | Heavy> =>
    worker.route(asked).catch((error: Error) => ({ why: error.message }))
  const made = await tried(task)
  if (!('heavy' in made)) return made
  const again = await tried({ ...task, splits: await splitHeavy(ledger, made.heavy) })
  return 'heavy' in again ? { why: 'sites are too heavy' } : again
}

/** What the agents of a crawl's own process are called. */
export function agentNames(agents: number): string[] {
  return Array.from({ length: agents }, (_, i) => `agent-${i + 1}`)
}
