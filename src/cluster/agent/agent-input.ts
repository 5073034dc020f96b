/** The ports and settings of an agent. */
import type { Bus } from '../../bus/index.js'
import type { CrawlConfig } from '../../config/index.js'
import type { PackBuilder, PackStore } from '../../data/store/index.js'
import type { Heartbeat, Incarnation, Ledger } from '../../ledger/index.js'
import type { Clock, Millis, Random } from '../../model/index.js'
import type { Fetcher } from '../../page/fetch/index.js'
import type { FrontierSpace } from '../../page/frontier/index.js'
import type { Scope } from '../../page/frontier/scope/index.js'
import type { HostNames } from '../../page/frontier/traps/index.js'
import type { Guest } from '../../page/guest/index.js'
import type { parsePage } from '../../page/parse/index.js'
import type { PhaseGatesParts } from '../../page/politeness/index.js'
import type { RouteClaimerParts } from './cells/index.js'
import type { AgentCapacity } from './heartbeat/index.js'
import type { EnvoyAgent, Envoys, ReadPage } from './lane/index.js'

export interface AgentInput {
  readonly name: string
  readonly incarnation: Incarnation
  readonly config: CrawlConfig
  readonly clock: Clock
  readonly random: Random
  readonly ledger: Ledger
  /** For a crawl in phases: the plan, the machine's own wall clock, and mistakes that a test plants. */
  readonly phases?: Pick<PhaseGatesParts, 'plan' | 'wall' | 'skewMs' | 'mistake'> | null
  /** Loads the routing table, if the assignment has one. */
  readonly loadRoutes?: RouteClaimerParts['load'] | null
  readonly bus: Bus
  /** How long a lease lasts without a heartbeat. */
  readonly leaseMs: Millis
  /** How many more sites this machine can crawl (D13); absent: enough for all lanes. */
  readonly capacity?: () => AgentCapacity
  readonly fetcher: Fetcher
  /** The files of this incarnation. */
  readonly store: PackStore
  readonly newBuilder: () => PackBuilder
  /** How many bytes of links to other cells one transaction takes; absent: `LIMITS.linkBytes`. */
  readonly linkBytes?: number
  /** True if exchanges are archived. */
  readonly archives: boolean
  /** Memory for queues and seen-sets, and a folder for what does not fit. */
  readonly space: FrontierSpace
  readonly scope: Scope
  /** Judges pages and rates links; null without one. */
  readonly guest: Guest | null
  /** Gets every page; null where nobody reads them. */
  readonly readPage: ReadPage | null
  /** Tours at hosts (`--runtime`); absent: no site has a host. */
  readonly newEnvoys?: ((agent: EnvoyAgent) => Envoys) | null
  /** Replaces our parser, for tests. */
  readonly parse?: typeof parsePage
  /** The hosts that the crawl knows. */
  readonly hosts: HostNames
  /** True if the ledger has meta-info of a previous crawl. */
  readonly recrawl: boolean
  readonly log: (event: string, fields?: Readonly<Record<string, unknown>>) => void
  /** Called when a seed redirects: its target joins the scope of all agents. */
  readonly onScopeWidened: (target: string) => void
  /** Called when the store refuses a pack, and with null when it accepts packs again. */
  readonly onDiskTrouble: (detail: string | null) => void
  /** Why nothing is being fetched. */
  readonly waitingFor: () => string
  readonly onHeartbeat: (beat: Heartbeat) => void
}
