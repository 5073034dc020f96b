/** What an agent is made of; `assemble-agent.ts` joins it. */
import type { Heartbeat, Ledger } from '../cluster/index.js'
import type { Clock, Millis } from '../model/clock.js'
import type { Stop } from '../model/stop.js'
import type { Admission } from './admission.js'
import type { Counters } from './counters.js'
import type { Lane } from './lane.js'
import type { LaneOfferParts } from './lane-offer.js'
import type { PageBudget } from './page-budget.js'
import type { PhaseGates } from './phase-gates.js'
import type { RouteTaker } from './route-taker.js'
import type { ShardTaker } from './shard-taker.js'
import type { SiteDesk } from './site-desk.js'
import type { SiteSplitter } from './site-splitter.js'
import type { Tenure } from './tenure.js'
import type { Transmitter } from './transmitter.js'

export interface AgentParts extends LaneOfferParts {
  readonly clock: Clock
  readonly ledger: Ledger
  readonly desk: SiteDesk
  readonly lane: Lane
  readonly transmitter: Transmitter
  readonly splitter: SiteSplitter
  readonly admission: Admission
  readonly budget: PageBudget
  readonly counters: Counters
  readonly tenure: Tenure
  readonly leaseMs: Millis
  /** A site with nothing to do for longer than this is parked. */
  readonly maxWaitMs: Millis
  /** Off, a lane keeps its site to the end. */
  readonly slices: boolean
  /** Aborted by `stop`: lanes send nothing more. */
  readonly stopping: Stop
  /** Why nothing is being fetched, for those who look from outside. */
  readonly waitingFor: () => string
  /** Under `phases`: takes cells without a coordinator, and knows the time by which phases swap. */
  readonly shards: { readonly taker: ShardTaker; readonly gates: PhaseGates } | null
  /** By a routing table: takes its own cells without being given them. */
  readonly routes: RouteTaker | null
  /** Sees every heartbeat: settings may have changed. */
  readonly onHeartbeat: (beat: Heartbeat) => void
}
