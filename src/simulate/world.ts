/** The parts of a simulated crawl and how they are connected. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type CrawlConfig, checkConfig, isLearned } from '../config/index.js'
import type { Ledger } from '../ledger/index.js'
import { openMemoryLedger } from '../ledger/memory/index.js'
import { openSqliteLedger } from '../ledger/sqlite/index.js'
import { SeededRandom, SplitCells } from '../model/index.js'
import { makePlan, type PhasePlan, ShardMap } from '../page/politeness/phases/index.js'
import { Checker, History } from './check/index.js'
import { brokenBy, drawFaults, mutantCore } from './faults/index.js'
import { Fleet, IncarnationRecovery, learnedTruth, routingTableFor } from './fleet/index.js'
import { DRAIN_MS } from './limits.js'
import { EPOCH_MS, Machine, VirtualTime } from './machines/index.js'
import {
  BAD_BUS,
  Disk,
  FlakyBus,
  GOOD_BUS,
  GOOD_CONDITIONS,
  type LedgerMethod,
  type LedgerWitness,
  Servers,
  VirtualWeb,
  type Web,
} from './ports/index.js'
import type { SimulationOptions } from './simulation.js'

/** One in so many answers is slow, so that repartitions meet cells in the middle of a long request. */
const SLOW_EVERY = 60
/** Shorter than in a real crawl, like the leases: some sites have a Crawl-delay of most of a period. */
const PHASES = { periodMs: 3_000, guardMs: 60 }
/** So small that columns and window are sometimes full. */
const BUCKET = { columns: 5, rows: 2, list: 3, window: 12 }

export type World = ReturnType<typeof buildWorld>

export function buildWorld(options: SimulationOptions) {
  const { seed, agents, sites, pages, delayMs, mutation, assign } = options
  const time = new VirtualTime()
  const random = new SeededRandom(seed)
  const web: Web = options.web ?? new VirtualWeb({ seed, sites, pages })
  const history = new History(time, options.keepsHistory)
  const checker = new Checker({ web, delayMs, time, history })
  const disk = new Disk()
  const ledger = ledgerFor(options, time)
  const isMoving = isLearned(assign) && (options.repartition ?? 0) > 0
  const servers = new Servers(web, time, isMoving ? SLOW_EVERY : 0)
  const faults =
    typeof options.faults === 'string'
      ? drawFaults(options.faults, agents, new SeededRandom(~seed))
      : options.faults
  const plan = assign === 'phases' ? smallPlan(options) : null
  const routing = { table: routingTableFor(assign, agents, seed, web), learned: () => learnedTruth(web) }
  const bus = new FlakyBus(random, faults.length > 0 ? BAD_BUS : GOOD_BUS)
  const ledgerCalls = new Map<LedgerMethod, number>()
  const witness: LedgerWitness = {
    called(method, args, answer) {
      ledgerCalls.set(method, (ledgerCalls.get(method) ?? 0) + 1)
      checker.called(method, args, answer)
      bus.called(method, args, answer)
    },
  }
  const scratch = options.scratch ?? mkdtempSync(join(tmpdir(), 'orb-simulate-'))
  const shared = { time, random, seed, mutation, bus, plan, ledger, disk, servers, checker, witness, routing }
  const fleet = new Fleet({
    ...shared,
    ledgerConditions: { ...GOOD_CONDITIONS },
    recovery: new IncarnationRecovery({ time, ledger, disk, checker, mutation }),
    config: configOf(options, web),
    history,
    scratch,
    faults,
    expectedRequests: Math.max(sites, pages) + sites,
  })
  return {
    ...{ options, time, web, history, checker, disk, ledger, ledgerCalls, servers, faults, routing, fleet },
    cells: plan === null ? new SplitCells() : new ShardMap(plan),
    close() {
      if (options.scratch === undefined) rmSync(scratch, { recursive: true, force: true })
    },
  }
}

function ledgerFor({ ledger, mutation }: SimulationOptions, time: VirtualTime): Ledger {
  const now = () => EPOCH_MS + time.now
  const core =
    ledger === 'sqlite'
      ? openSqliteLedger(':memory:', { create: true, now })
      : openMemoryLedger(now, brokenBy(mutation))
  return mutantCore(core, new Machine('ledger', time).clock, mutation)
}

function configOf(options: SimulationOptions, web: Web): CrawlConfig {
  const { agents, lanes, delayMs, assign, slices, splitSites, repartition = 0 } = options
  return checkConfig({
    assign,
    slices,
    splitSites,
    repartition,
    seeds: web.seeds,
    scope: 'any',
    agents,
    lanes,
    delay: delayMs,
    // A third try of a page that always fails would cost half a minute.
    tries: 2,
    traps: ['none'],
    sitemap: ['none'],
    archive: 'none',
    tables: 'parquet',
    links: 'foreign',
  })
}

function smallPlan({ agents, delayMs }: SimulationOptions): PhasePlan {
  const plan = makePlan(PHASES, agents, delayMs, EPOCH_MS)
  if (typeof plan === 'string') throw new Error(plan)
  return { ...plan, drainMs: DRAIN_MS, bucket: BUCKET }
}
