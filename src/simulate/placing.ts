/** Who gets what in a simulated crawl, and whether that is changed on the way. */
import {
  type Assignment,
  chooseAssignment,
  isLive,
  type LearnedWeb,
  LiveAssignment,
  type RoutingTable,
} from '../assign/index.js'
import { planRepartition } from '../assign/repartition.js'
import type { Bus, Ledger } from '../cluster/index.js'
import type { CrawlConfig } from '../config/index.js'
import { PART_OWNERS, Repartitioner, sitesLeft } from '../coordinator/index.js'
import type { Clock } from '../model/clock.js'
import { SeededRandom } from '../model/random.js'

/** What coordinators find in the store, and may write there. */
export interface SharedRouting {
  /** Null where nothing was learned. */
  table: RoutingTable | null
  readonly learned: () => LearnedWeb
}

interface Ports {
  readonly ledger: Ledger
  readonly clock: Clock
  readonly bus: Bus
}

export function placing(
  parts: { readonly seed: number; readonly config: CrawlConfig; readonly routing: SharedRouting },
  { ledger, clock, bus }: Ports,
): { readonly assignment: Assignment; readonly repartitioner: Repartitioner | null } {
  const { seed, config, routing } = parts
  const now = () => clock.monotonic()
  const chosen = (): Assignment =>
    chooseAssignment(config.assign, new SeededRandom(seed), routing.table && { table: routing.table, now })
  if (config.repartition === 0 || !isLive(config.assign)) return { assignment: chosen(), repartitioner: null }
  const assignment = new LiveAssignment(chosen())
  const repartitioner = new Repartitioner({
    clock,
    ledger,
    bus,
    assignment,
    everyMs: config.repartition * 1000,
    restore: async () => chosen(),
    // Whatever it is worth: cells are to move.
    isWorth: ({ movedSites }) => movedSites > 0,
    propose: async agents => {
      const plan = planRepartition(routing.learned(), {
        agents: agents.map(({ name, capacity, lanes }) => ({ name, share: capacity, lanes })),
        left: await sitesLeft(ledger, assignment, agents),
        delayMs: Number(config.delay),
        grouping: config.group,
        seed,
      })
      if (plan === null) return null
      const { gainMs, costMs, movedSites, before, after } = plan
      return {
        predicted: {
          gainMs,
          costMs,
          messagesBefore: before.messages,
          messagesAfter: after.messages,
          movedSites,
        },
        adopt: async () => {
          routing.table = plan.table
          await ledger.set({ [PART_OWNERS]: JSON.stringify(plan.owners) })
          const next = chosen()
          next.owners?.restore(plan.owners)
          return next
        },
      }
    },
    log: () => {},
  })
  return { assignment, repartitioner }
}
