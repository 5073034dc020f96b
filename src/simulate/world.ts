/**
 * One simulated crawl: real agents on machines that fail, a web made of arithmetic, a ledger and a disk in
 * memory, and a checker that watches. Same options, same history.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type CellCounts,
  cellCounts,
  FIRST_STAGE,
  type RepartitionRecord,
  recordsIn,
} from '../cluster/coordinator/index.js'
import { type AssignmentName, type CrawlConfig, checkConfig, isLearned } from '../config/index.js'
import type { AgentWork, Ledger } from '../ledger/index.js'
import { openMemoryLedger } from '../ledger/memory/index.js'
import { openSqliteLedger } from '../ledger/sqlite/index.js'
import {
  type CellId,
  type CellMap,
  filedUnder,
  type Millis,
  SeededRandom,
  SplitCells,
} from '../model/index.js'
import { makePlan, type PhasePlan, ShardMap } from '../page/politeness/phases/index.js'
import { ROUTING_STAGE } from '../plan/assign/learned/index.js'
import type { Metrics } from '../report/index.js'
import { Checker, type Violation } from './checker.js'
import { Disk } from './disk.js'
import { drawFaults, type Fault, type FaultPreset } from './faults.js'
import { BAD_BUS, FlakyBus, GOOD_BUS } from './flaky-bus.js'
import { GOOD_CONDITIONS, type LedgerConditions, type LedgerMethod } from './flaky-ledger.js'
import { Fleet, type FleetParts } from './fleet.js'
import { History } from './history.js'
import { IncarnationRecovery } from './incarnation-recovery.js'
import { learnedTruth, routingOf } from './learned-truth.js'
import { EPOCH_MS, Machine } from './machine.js'
import { mutantCore } from './mutant-ledger.js'
import { brokenBy, type Mutation } from './mutations.js'
import type { SharedRouting } from './simulated-assignment.js'
import { metricsOf } from './tally.js'
import { Servers } from './virtual-fetcher.js'
import { VirtualTime } from './virtual-time.js'
import { VirtualWeb, type Web } from './virtual-web.js'

export interface SimulationOptions {
  readonly seed: number
  readonly agents: number
  readonly sites: number
  /** Pages in all, about. */
  readonly pages: number
  /** Instead of one made of `sites` and `pages`. */
  readonly web?: Web
  /** What is known of sites beforehand: the queue is ordered by it. */
  readonly sizes?: readonly { readonly cell: CellId; readonly size: number }[]
  /** Whether long sites give their lanes to others now and then (on). */
  readonly slices?: 'on' | 'off'
  /** Seconds between two looks whether sites would be better placed otherwise (never). */
  readonly repartition?: number
  /** Sites with more URLs waiting are split (off). */
  readonly splitSites?: number
  readonly faults: FaultPreset | readonly Fault[]
  readonly assign: AssignmentName
  /** Lanes of each agent. */
  readonly lanes: number
  readonly delayMs: Millis
  /** Time between the starts of two agents (0). */
  readonly startEveryMs?: Millis
  /** Keeps the lines of the history, for people. */
  readonly keepsHistory: boolean
  /** A folder for what does not fit into memory, for runs by the hundred; one of its own when absent. */
  readonly scratch?: string
  /** Ends with the first violation: what comes after it is of no interest. */
  readonly stopsEarly?: boolean
  /**
   * The backend of the ledger (memory). SQLite keeps its database in memory; no rule of it can be switched
   * off.
   */
  readonly ledger?: 'memory' | 'sqlite'
  /** A rule of the ledger switched off, to see that the checker notices. */
  readonly mutation?: Mutation
  /** Told every few thousand events how far it is; has no part in the history. */
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
  /** What befell the machines in fact, and how often. */
  readonly struck: ReadonlyMap<string, number>
  /** What the ledger was asked, and how often. */
  readonly ledgerCalls: ReadonlyMap<LedgerMethod, number>
  readonly virtualMs: Millis
  readonly events: number
  readonly requests: number
  /** Page requests, robots.txt apart. */
  readonly fetches: number
  readonly acknowledged: number
  readonly pages: number
  readonly refusedCommits: number
  readonly refusedFinishes: number
  readonly agentWork: readonly AgentWork[]
  /**
   * Leased cells that were asked back because sites were placed anew, and those of them that did not come by
   * themselves.
   */
  readonly askedBack: number
  readonly forced: number
  /** By a routing table: cells that agents took themselves, and cells that coordinators gave. */
  readonly cells: CellCounts
}

/** No crawl may take longer than this, and what its pages take one after the other. */
const LONGEST_MS = 1_800_000
/** Nor need more events than this, and so many a page: who spins does not end. */
const MOST_EVENTS = 100_000
const EVENTS_PER_PAGE = 200
/** Idle agents beat and look for work, whatever the pages do: so many of each may be of no use. */
const EVENTS_PER_AGENT = 5_000
/** Events between two looks at how far it is. */
const PROGRESS_EVENTS = 4_096
/** Of those that still wait when a crawl does not end. */
const SHOWN_CELLS = 5
/** What an agent may take to notice the end. */
const AFTER_END_MS = 300_000

export async function simulate(options: SimulationOptions): Promise<SimulationResult> {
  const world = new World(options)
  try {
    return await world.run()
  } finally {
    world.close()
  }
}

class World {
  readonly #options: SimulationOptions
  readonly #time = new VirtualTime()
  readonly #random: SeededRandom
  readonly #web: Web
  readonly #history: History
  readonly #checker: Checker
  readonly #disk = new Disk()
  readonly #calls = new Map<LedgerMethod, number>()
  readonly #ledger: Ledger
  readonly #servers: Servers
  readonly #fleet: Fleet
  readonly #faults: readonly Fault[]
  readonly #scratch: string
  readonly #plan: PhasePlan | null
  readonly #cells: CellMap
  readonly #routing: SharedRouting

  constructor(options: SimulationOptions) {
    const { seed, sites, pages, delayMs, agents, mutation } = options
    this.#options = options
    this.#plan = options.assign === 'phases' ? smallPlan(options) : null
    this.#cells = this.#plan === null ? new SplitCells() : new ShardMap(this.#plan)
    this.#scratch = options.scratch ?? mkdtempSync(join(tmpdir(), 'orb-simulate-'))
    this.#random = new SeededRandom(seed)
    this.#web = options.web ?? new VirtualWeb({ seed, sites, pages })
    this.#history = new History(this.#time, options.keepsHistory)
    this.#checker = new Checker({ web: this.#web, delayMs, time: this.#time, history: this.#history })
    const now = () => EPOCH_MS + this.#time.now
    const ledger =
      options.ledger === 'sqlite'
        ? openSqliteLedger(':memory:', { create: true, now })
        : openMemoryLedger(now, brokenBy(mutation))
    this.#ledger = mutantCore(ledger, new Machine('ledger', this.#time).clock, mutation)
    this.#servers = new Servers(this.#web, this.#time, slowEvery(options))
    this.#faults =
      typeof options.faults === 'string'
        ? drawFaults(options.faults, agents, new SeededRandom(~seed))
        : options.faults
    this.#routing = { table: routingOf(options, this.#web), learned: () => learnedTruth(this.#web) }
    this.#fleet = new Fleet(this.#parkParts())
  }

  async run(): Promise<SimulationResult> {
    const { seeds } = this.#web
    await this.#ledger.append(
      seeds.map(url => ({
        cell: this.#cells.cellOf(url),
        group: filedUnder(this.#cells.cellOf(url), 'domain'),
        rows: [{ url, depth: 0, hops: 0, score: 1, via: '' }],
      })),
    )
    if (this.#routing.table !== null) await this.#ledger.set({ [ROUTING_STAGE]: String(FIRST_STAGE) })
    await this.#ledger.estimate(this.#options.sizes ?? [])
    this.#startAgents()
    let endedAt = Number.POSITIVE_INFINITY
    const most = MOST_EVENTS + this.#web.pages * EVENTS_PER_PAGE + this.#options.agents * EVENTS_PER_AGENT
    const longest = LONGEST_MS + this.#web.pages * this.#options.delayMs
    await this.#time.run(() => {
      if (this.#time.events % PROGRESS_EVENTS === 0) this.#tellProgress()
      if (this.#checker.isClosed) endedAt = Math.min(endedAt, this.#time.now)
      const isOver = this.#checker.isClosed && this.#fleet.isQuiet
      if (isOver || this.#fleet.bugs.length > 0 || this.#time.events > most || this.#isBroken) return true
      return this.#time.now > Math.min(longest, endedAt + AFTER_END_MS)
    })
    if (!this.#isBroken) await this.#settle()
    const agentWork = await this.#ledger.agentWork()
    return {
      violations: [...this.#fleet.bugs, ...this.#checker.violations],
      history: this.#history,
      metrics: await this.#metrics(agentWork),
      faults: this.#faults,
      struck: this.#fleet.struck,
      ledgerCalls: this.#calls,
      virtualMs: this.#time.now,
      events: this.#time.events,
      requests: this.#servers.requests,
      fetches: this.#checker.fetches,
      acknowledged: this.#checker.acknowledged.size,
      pages: this.#web.pages,
      refusedCommits: this.#checker.refusedCommits,
      refusedFinishes: this.#checker.refusedFinishes,
      agentWork,
      ...movedIn(recordsIn(await this.#ledger.settings())),
      cells: cellCounts(await this.#ledger.settings()),
    }
  }

  #startAgents(): void {
    const { agents, startEveryMs = 0 } = this.#options
    for (let agent = 0; agent < agents; agent++) {
      if (startEveryMs === 0) this.#fleet.start()
      else this.#time.after(agent * startEveryMs, () => this.#fleet.start())
    }
  }

  #tellProgress(): void {
    const { pages } = this.#web
    const { acknowledged } = this.#checker
    this.#options.onProgress?.({ acknowledged: acknowledged.size, pages, virtualMs: this.#time.now })
  }

  /** A violation was seen, and that is enough. */
  get #isBroken(): boolean {
    return this.#options.stopsEarly === true && this.#checker.violations.length > 0
  }

  async #settle(): Promise<void> {
    const { isClosed } = this.#checker
    const left = isClosed ? '' : await this.#left()
    await this.#ledger.endAllLeases()
    const files = await this.#ledger.files()
    this.#checker.settle(files, this.#disk, left, isClosed ? this.#fleet.busy : [])
  }

  #metrics(agentWork: readonly AgentWork[]): Promise<Metrics> {
    const { overlap, acknowledged, fetches, urlsFetched } = this.#checker
    const expected = this.#web.pages
    return metricsOf(this.#ledger, agentWork, {
      overlap,
      acknowledged: acknowledged.size,
      expected,
      fetches,
      urlsFetched,
    })
  }

  /** What a crawl that does not end still has to do, and who says what. */
  async #left(): Promise<string> {
    const { cells } = await this.#ledger.totals()
    const states = Object.entries(cells).filter(([state, count]) => count > 0 && state !== 'finished')
    const agents = await this.#ledger.agents()
    const words = agents.map(
      ({ name, incarnation, status }) => `${name} (incarnation ${incarnation}): ${status}`,
    )
    const waiting = (await this.#ledger.waiting(SHOWN_CELLS)).map(
      ({ cell, turn, turnOf }) =>
        `${cell} waits${turnOf === null ? '' : `, incarnation ${turnOf} has the turn of ${turn}`}`,
    )
    return [states.map(([state, count]) => `${count} ${state}`).join(', '), ...waiting, ...words].join('\n  ')
  }

  close(): void {
    if (this.#options.scratch === undefined) rmSync(this.#scratch, { recursive: true, force: true })
  }

  #parkParts(): FleetParts {
    const ledgerConditions: LedgerConditions = { ...GOOD_CONDITIONS }
    const bus = new FlakyBus(this.#random, this.#faults.length > 0 ? BAD_BUS : GOOD_BUS)
    const { seed, mutation, sites, pages } = this.#options
    const recovery = new IncarnationRecovery({
      time: this.#time,
      ledger: this.#ledger,
      disk: this.#disk,
      checker: this.#checker,
      mutation,
    })
    return {
      time: this.#time,
      random: this.#random,
      seed,
      mutation,
      ledgerConditions,
      bus,
      recovery,
      config: this.#config(),
      plan: this.#plan,
      ledger: this.#ledger,
      disk: this.#disk,
      servers: this.#servers,
      checker: this.#checker,
      witness: {
        called: (method, args, answer) => {
          this.#calls.set(method, (this.#calls.get(method) ?? 0) + 1)
          this.#checker.called(method, args, answer)
          bus.called(method, args, answer)
        },
      },
      history: this.#history,
      routing: this.#routing,
      scratch: this.#scratch,
      faults: this.#faults,
      expectedRequests: Math.max(sites, pages) + sites,
    }
  }

  #config(): CrawlConfig {
    const { lanes, delayMs, assign, slices, splitSites, repartition = 0 } = this.#options
    return checkConfig({
      assign,
      slices,
      splitSites,
      repartition,
      seeds: this.#web.seeds,
      scope: 'any',
      agents: this.#options.agents,
      lanes,
      delay: delayMs,
      // A page that never comes is asked for twice: the crawl would wait half a minute for the third time.
      tries: 2,
      traps: ['none'],
      sitemap: ['none'],
      archive: 'none',
      tables: 'parquet',
      links: 'foreign',
    })
  }
}

/** Where cells move, some are in the middle of a long request when they are to. */
const SLOW_EVERY = 60

function slowEvery({ assign, repartition = 0 }: SimulationOptions): number {
  return isLearned(assign) && repartition > 0 ? SLOW_EVERY : 0
}

function movedIn(records: readonly RepartitionRecord[]): { askedBack: number; forced: number } {
  const sum = (of: 'askedBack' | 'forced') => records.reduce((all, { moved }) => all + (moved?.[of] ?? 0), 0)
  return { askedBack: sum('askedBack'), forced: sum('forced') }
}

/** Shorter than a real one, like the leases: some sites have a Crawl-delay of most of a period. */
const PHASES = { periodMs: 3_000, guardMs: 60 }
/** So small that columns and window are full now and then. */
const BUCKET = { columns: 5, rows: 2, list: 3, window: 12 }
/** Shorter than what servers take to answer: there is always something to cut off. */
const DRAIN_MS = 20

function smallPlan({ agents, delayMs }: SimulationOptions): PhasePlan {
  const plan = makePlan(PHASES, agents, delayMs, EPOCH_MS)
  if (typeof plan === 'string') throw new Error(plan)
  return { ...plan, drainMs: DRAIN_MS, bucket: BUCKET }
}
