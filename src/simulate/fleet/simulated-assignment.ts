/** The assignment of a simulated crawl, and its repartitions. */

import type { Bus } from '../../bus/index.js'
import {
  FIRST_STAGE,
  newStage,
  type Proposal,
  placedAgents,
  predictedOf,
  Repartitioner,
  remainingSites,
} from '../../cluster/coordinator/index.js'
import { chooseAssignment } from '../../compose/index.js'
import { type CrawlConfig, isLearned, readGraphSettings } from '../../config/index.js'
import type { Ledger } from '../../ledger/index.js'
import { type Clock, SeededRandom } from '../../model/index.js'
import type { AgentView, Assignment } from '../../plan/assign/index.js'
import {
  type LearnedWeb,
  LiveAssignment,
  PART_OWNERS,
  planRepartition,
  type RoutingTable,
} from '../../plan/assign/learned/index.js'
import type { Mutation } from '../faults/index.js'
import { MOVE_GRACE_MS } from '../limits.js'

/** The routing table in the store, which coordinators read and replace. */
export interface SharedRouting {
  /** Null for assignments without a routing table. */
  table: RoutingTable | null
  readonly learned: () => LearnedWeb
}

interface Parts {
  readonly seed: number
  readonly config: CrawlConfig
  readonly routing: SharedRouting
  readonly mutation: Mutation | undefined
}

interface Ports {
  readonly ledger: Ledger
  readonly clock: Clock
  readonly bus: Bus
}

export function simulatedAssignment(
  parts: Parts,
  { ledger, clock, bus }: Ports,
): { readonly assignment: Assignment; readonly repartitioner: Repartitioner | null } {
  const { seed, config, routing, mutation } = parts
  const now = () => clock.monotonic()
  const chosen = (stage: number): Assignment =>
    chooseAssignment(
      config.assign,
      new SeededRandom(seed),
      routing.table && { table: routing.table, stage, now },
    )
  const first = chosen(FIRST_STAGE)
  if (config.repartition === 0 || !isLearned(config.assign)) return { assignment: first, repartitioner: null }
  const assignment = new LiveAssignment(first)
  const repartitioner = new Repartitioner({
    clock,
    ledger,
    bus: mutation === 'moved-unasked' ? takingAtOnce(bus, ledger) : bus,
    assignment,
    everyMs: config.repartition * 1000,
    graceMs: MOVE_GRACE_MS,
    restore: async () => chosen(await newStage(ledger)),
    // Even without a gain, so that cells move.
    isWorth: ({ movedSites }) => movedSites > 0,
    propose: agents => propose(parts, ledger, assignment, agents, chosen),
    log: () => {},
  })
  return { assignment, repartitioner }
}

async function propose(
  { seed, config, routing }: Parts,
  ledger: Ledger,
  assignment: Assignment,
  agents: readonly AgentView[],
  chosen: (stage: number) => Assignment,
): Promise<Proposal | null> {
  const left = await remainingSites(ledger, assignment, agents)
  const made = planRepartition(routing.learned(), {
    agents: await placedAgents(ledger, agents, undefined),
    left,
    delayMs: Number(config.delay),
    grouping: config.group,
    hasPulls: config.assign === 'hybrid',
    seed,
    preset: 'fast',
    graph: config.assign === 'graph' ? readGraphSettings(config.graph) : null,
  })
  if (made === null) return null
  return {
    predicted: predictedOf(made),
    left,
    adopt: async () => {
      routing.table = made.plan.table
      const stage = await newStage(ledger, { [PART_OWNERS]: JSON.stringify(made.owners) })
      const next = chosen(stage)
      next.owners?.restore(made.owners)
      return next
    },
  }
}

/** The mistake: a cell that moves is released in the ledger while its agent crawls it. */
function takingAtOnce(bus: Bus, ledger: Ledger): Bus {
  const take = async (incarnation: number, cells: readonly string[]): Promise<void> => {
    for (const { cell, epoch } of await ledger.leases(incarnation, 0))
      if (cells.includes(cell)) await ledger.release(cell, epoch, 'tail')
  }
  return {
    subscribe: hear => bus.subscribe(hear),
    send: message => {
      if (message.kind === 'move') void take(message.to, message.cells).catch(() => {})
      else bus.send(message)
    },
  }
}
