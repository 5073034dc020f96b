/** What an agent is made of: every port and every setting comes from outside. */
import type { Bus } from '../../bus/index.js'
import type { CrawlConfig } from '../../config/index.js'
import type { PackBuilder, PackStore } from '../../data/store/index.js'
import type { Heartbeat, Incarnation, Ledger } from '../../ledger/index.js'
import type { CellMap, Clock, Millis, Random } from '../../model/index.js'
import type { Fetcher } from '../../page/fetch/index.js'
import type { FrontierSpace } from '../../page/frontier/index.js'
import type { Scope } from '../../page/frontier/scope/index.js'
import type { HostNames } from '../../page/frontier/traps/index.js'
import type { parsePage } from '../../page/parse/index.js'
import type { PhaseGatesParts } from '../../page/politeness/index.js'
import type { AgentParts } from './agent-parts.js'
import type { RouteClaimerParts } from './cells/index.js'
import type { Hooks } from './lane/index.js'

export interface AgentInput {
  readonly name: string
  readonly incarnation: Incarnation
  readonly config: CrawlConfig
  readonly clock: Clock
  readonly random: Random
  readonly ledger: Ledger
  /** Which cell a URL belongs to; without it, sites are cells until the ledger says that one was split. */
  readonly cells?: CellMap
  /**
   * The plan of a crawl in phases, the machine's own wall clock, and (only for tests) what is wrong with its
   * phases.
   */
  readonly phases?: Pick<PhaseGatesParts, 'plan' | 'wall' | 'skewMs' | 'mistake'> | null
  /** The routing table that is in force, where the assignment goes by one: null while it cannot be had. */
  readonly loadRoutes?: RouteClaimerParts['load'] | null
  readonly bus: Bus
  /** How long a lease lasts without a heartbeat. */
  readonly leaseMs?: Millis
  /** What this machine has to spare (D13); without it, enough for all lanes. */
  readonly capacity?: AgentParts['capacity']
  readonly fetcher: Fetcher
  /** The files of this incarnation. */
  readonly store: PackStore
  readonly newBuilder: () => PackBuilder
  /** Links to other cells that one transaction takes; `LIMITS.linkBytes`, unless it is said here. */
  readonly linkBytes?: number
  /** Raw exchanges are kept. */
  readonly archives: boolean
  /** Memory, and a folder for what does not fit, of its own. */
  readonly space: FrontierSpace
  readonly scope: Scope
  readonly hooks: Hooks
  /** Another parser than our own. */
  readonly parse?: typeof parsePage
  /** The hosts that the crawl knows. */
  readonly hosts: HostNames
  /** There is meta-info of a previous crawl in the ledger. */
  readonly recrawl: boolean
  readonly log: (event: string, fields?: Readonly<Record<string, unknown>>) => void
  /** A seed moved: its target joins the scope of all agents. */
  readonly onScopeWidened: (target: string) => void
  /** The disk refuses to take a pack (or, with null, takes packs again). */
  readonly onDiskTrouble: (detail: string | null) => void
  /** Why nothing is being fetched. */
  readonly waitingFor: () => string
  readonly onHeartbeat: (beat: Heartbeat) => void
}
