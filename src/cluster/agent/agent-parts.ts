/** The parts of an agent, in the order in which `assemble-agent.ts` builds them. */
import type { Bus } from '../../bus/index.js'
import type { Heartbeat, Incarnation } from '../../ledger/index.js'
import type { Clock, WakeUp } from '../../model/index.js'
import type { PhaseGates } from '../../page/politeness/index.js'
import type { AgentStop } from './agent-stop.js'
import type {
  CellRelease,
  HeldCells,
  InboxNotices,
  RouteClaimer,
  ShardClaimer,
  SiteSplitter,
  SiteWork,
  Slices,
  SpareSites,
  TurnHandOver,
} from './cells/index.js'
import type { Checkpoint, HeartbeatLoop, LaneOffer, PeerProbe } from './heartbeat/index.js'
import type { PageBudget, Transmitter } from './pack/index.js'
import type { Counters, LaneCount, SiteCrawl } from './site/index.js'

export interface AgentParts {
  readonly clock: Clock
  readonly bus: Bus
  readonly incarnation: Incarnation
  readonly stopping: AgentStop
  /** Notified when the loop has something to do. */
  readonly wake: WakeUp
  readonly counters: Counters
  readonly laneCount: LaneCount
  readonly budget: PageBudget
  readonly transmitter: Transmitter
  readonly heldCells: HeldCells
  readonly siteWork: SiteWork
  readonly release: CellRelease
  readonly slices: Slices
  readonly splitter: SiteSplitter
  readonly turns: TurnHandOver
  readonly spareSites: SpareSites<SiteCrawl>
  readonly inboxes: InboxNotices
  readonly offer: LaneOffer
  readonly heartbeats: HeartbeatLoop
  readonly probe: PeerProbe
  readonly checkpoint: Checkpoint
  /** Under `phases`: claims cells without a coordinator, and knows when the phases swap. */
  readonly shards: { readonly claimer: ShardClaimer; readonly gates: PhaseGates } | null
  /** Claims the agent's own cells by a routing table. */
  readonly routes: RouteClaimer | null
  /** Why nothing is being fetched, for the status. */
  readonly waitingFor: () => string
  /** Called with every heartbeat: settings may have changed. */
  readonly onHeartbeat: (beat: Heartbeat) => void
}
