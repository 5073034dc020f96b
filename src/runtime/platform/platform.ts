/**
 * The platform on which a crawl runs: the clock, the random source and the implementations that `compose/`
 * picks. Fault tests and experiments pass a platform of which some parts differ.
 */
import type { TransferListItem, Worker } from 'node:worker_threads'
import type { Bus } from '../../bus/index.js'
import type { AgentEnd } from '../../cluster/agent/index.js'
import type { ReadPage } from '../../cluster/agent/lane/index.js'
import type { Coordinator, CoordinatorParts } from '../../cluster/coordinator/index.js'
import type { AssignmentName, CrawlConfig } from '../../config/index.js'
import type { PackStore } from '../../data/store/index.js'
import type { IndexTask } from '../../data/store/warc/index.js'
import type { Incarnation, Ledger } from '../../ledger/index.js'
import type { Millis, Random } from '../../model/index.js'
import type { Fetcher } from '../../page/fetch/index.js'
import type { Guest, GuestModule } from '../../page/guest/index.js'
import type { Assignment } from '../../plan/assign/index.js'
import type { RoutingTable } from '../../plan/assign/learned/index.js'
import type { AgentProgress } from '../../report/index.js'
import type { Log, TimeAndRandom } from '../directory/index.js'
import type { Ledgers } from './ledgers.js'

export interface Platform extends TimeAndRandom {
  /** How long a lease lasts. */
  readonly leaseMs: Millis
  readonly ledgers: Ledgers
  startThread(name: ThreadName, data: unknown, options?: ThreadOptions): Worker
  /** An agent in the thread of the caller. */
  openAgent(order: AgentOrder, parts: AgentParts): Promise<HostedAgent>
  openFetcher(config: CrawlConfig): Fetcher
  /**
   * The guest of a crawl, `own` if it is an object of the caller; null without one. A promise only for a
   * module. Throws or rejects with a ConfigError.
   */
  openGuest(config: CrawlConfig, own?: GuestModule): Guest | null | Promise<Guest>
  openStore(place: StorePlace): PackStore
  /** Without `learned`, a learned assignment is the one that it falls back on. */
  chooseAssignment(name: AssignmentName, random: Random, learned: LearnedTable | null): Assignment
  newCoordinator(parts: CoordinatorParts): Coordinator
  /**
   * A clock error that is injected into the phase clock of this agent: 0, except in experiments and tests.
   */
  phaseSkewMs(agent: string): Millis
}

/** The entries of `compose/` that run in a thread of their own. */
export type ThreadName = 'agent-thread' | 'ledger-thread' | 'store-thread'

export interface ThreadOptions {
  /** Both halves of its young generation together. */
  readonly youngMb?: number
  /** Ports that are handed over to the thread. */
  readonly transfer?: readonly TransferListItem[]
  /** Files that the thread leaves open stay open when it ends: closing a ledger would drop others' locks. */
  readonly keepsFiles?: boolean
}

/** What an agent of this machine has to know; all of it can be sent to a thread. */
export interface AgentOrder {
  /** The store; null when this machine does not see it. */
  readonly directory: string | null
  /** The token of the crawl, for an agent that sends its packs to the coordinator. */
  readonly token?: string
  /** Name of the crawl, for file names. */
  readonly crawl: string
  readonly config: CrawlConfig
  readonly agent: string
  readonly incarnation: Incarnation
  /** Agents of this machine: they share its memory. */
  readonly agents: number
  /** The local address of its connections. */
  readonly sourceAddress: string | undefined
  readonly leaseMs: Millis
  readonly phaseSkewMs: Millis
  readonly diskTrouble: string
  /** For queues and seen-sets. */
  readonly scratch: string
  /** The folder with the indexes of archives (`--source`). */
  readonly indexes: string
}

export interface AgentParts {
  readonly ledger: Ledger
  readonly bus: Bus
  /** Null without one. */
  readonly guest: Guest | null
  /** Null where nobody reads the pages. */
  readonly readPage: ReadPage | null
  readonly log: Log
  readonly worker: IndexSorter
  /** Called when the disk refuses a pack, and with null when it accepts one again. */
  readonly onDiskTrouble: (detail: string | null) => void
}

interface IndexSorter {
  sortIndex(task: IndexTask): Promise<void>
}

export interface HostedAgent {
  /** Crawls to the end and closes its files. */
  run(): Promise<AgentEnd>
  /** Commits what the agent has fetched and ends. */
  stop(): void
  /** An empty `detail` says that the disk accepts writes again. */
  setDiskTrouble(detail: string): void
  progress(): AgentProgress
}

/** The files of one incarnation of an agent in the store. */
export interface StorePlace {
  readonly directory: string
  /** Name of the crawl, for file names. */
  readonly crawl: string
  readonly config: CrawlConfig
  readonly incarnation: Incarnation
  readonly worker: IndexSorter
  /** Files are numbered from here on. */
  readonly firstNumber?: number
}

/** The input of a learned assignment. */
export interface LearnedTable {
  readonly table: RoutingTable
  /** The stage of the table. If it is absent or 0, agents do not route by the table themselves. */
  readonly stage?: number
  /** The monotonic clock. */
  readonly now: () => Millis
}
