import type { CellCounts } from '../cluster/coordinator/index.js'
import type { AssignmentName } from '../config/index.js'
import type { AgentWork } from '../ledger/index.js'
import type { CellId, Millis } from '../model/index.js'
import type { Metrics } from '../report/index.js'
import type { History, Violation } from './check/index.js'
import type { Fault, FaultPreset, Mutation } from './faults/index.js'
import type { LedgerMethod, Web } from './ports/index.js'

export interface SimulationOptions {
  readonly seed: number
  readonly agents: number
  readonly sites: number
  /** Approximate number of pages of all sites together. */
  readonly pages: number
  /** Replaces the web that is made of `sites` and `pages`. */
  readonly web?: Web
  /** Sizes known before the crawl; the queue is ordered by them. */
  readonly sizes?: readonly { readonly cell: CellId; readonly size: number }[]
  /** Whether long sites release their lanes from time to time (on). */
  readonly slices?: 'on' | 'off'
  /** Seconds between two repartitions (0: never). */
  readonly repartition?: number
  /** Sites with more waiting URLs than this are split (never). */
  readonly splitSites?: number
  readonly faults: FaultPreset | readonly Fault[]
  readonly assign: AssignmentName
  /** Lanes of each agent. */
  readonly lanes: number
  readonly delayMs: Millis
  /** Time between the starts of two agents (0). */
  readonly startEveryMs?: Millis
  /** Keeps the facts of the history, which `explain` shows. */
  readonly keepsHistory: boolean
  /** A folder for what does not fit into memory; without it, each run makes one and removes it. */
  readonly scratch?: string
  /** Ends at the first violation. */
  readonly stopsEarly?: boolean
  /**
   * The backend of the ledger (memory). SQLite keeps its database in memory; none of its rules can be broken.
   */
  readonly ledger?: 'memory' | 'sqlite'
  /** A rule that is broken on purpose. */
  readonly mutation?: Mutation
  /** Called every few thousand events; has no influence on the history. */
  readonly onProgress?: (progress: SimulationProgress) => void
}

export interface SimulationProgress {
  readonly acknowledged: number
  readonly pages: number
  readonly virtualMs: Millis
}

export interface SimulationResult {
  readonly violations: readonly Violation[]
  readonly history: History
  readonly metrics: Metrics
  readonly faults: readonly Fault[]
  /** Faults, deaths, revivals and fenced-off agents that occurred, with their numbers. */
  readonly struck: ReadonlyMap<string, number>
  /** Number of calls of each ledger method. */
  readonly ledgerCalls: ReadonlyMap<LedgerMethod, number>
  readonly virtualMs: Millis
  readonly events: number
  readonly requests: number
  /** Page requests, without robots.txt. */
  readonly fetches: number
  readonly acknowledged: number
  readonly pages: number
  readonly refusedCommits: number
  readonly refusedFinishes: number
  readonly agentWork: readonly AgentWork[]
  /** Leased cells that a repartition asked back, and those of them that had to be taken by force. */
  readonly askedBack: number
  readonly forced: number
  /** With a routing table: cells that agents leased themselves, and cells that coordinators granted. */
  readonly cells: CellCounts
}
