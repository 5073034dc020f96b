/** What an agent is made of; `assemble-agent.ts` joins it. */
import type { Heartbeat, Ledger } from '../../ledger/index.js'
import type { Clock, Millis, Stop } from '../../model/index.js'
import type { LeaseMargin, PhaseGates } from '../../page/politeness/index.js'
import type { RouteClaimer, ShardClaimer, SiteOpener, SiteSplitter } from './cells/index.js'
import type { LaneOfferParts } from './heartbeat/index.js'
import type { Admission, Lane } from './lane/index.js'
import type { PageBudget, Transmitter } from './pack/index.js'
import type { Counters } from './site/index.js'

export interface AgentParts extends LaneOfferParts {
  readonly clock: Clock
  readonly ledger: Ledger
  readonly siteOpener: SiteOpener
  readonly lane: Lane
  readonly transmitter: Transmitter
  readonly splitter: SiteSplitter
  readonly admission: Admission
  readonly budget: PageBudget
  readonly counters: Counters
  readonly leaseMargin: LeaseMargin
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
  readonly shards: { readonly claimer: ShardClaimer; readonly gates: PhaseGates } | null
  /** By a routing table: takes its own cells without being given them. */
  readonly routes: RouteClaimer | null
  /** Sees every heartbeat: settings may have changed. */
  readonly onHeartbeat: (beat: Heartbeat) => void
}
