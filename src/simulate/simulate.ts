/**
 * One simulated crawl, from its seeds to the last check: real agents on machines that fail, a web computed
 * from the seed, a ledger and a disk in memory, and a checker that watches. The same options give the same
 * history.
 */

import { cellCounts, FIRST_STAGE, recordsIn } from '../cluster/coordinator/index.js'
import { filedUnder } from '../model/index.js'
import { ROUTING_STAGE } from '../plan/assign/learned/index.js'
import { type Metrics, measure } from '../report/index.js'
import { AFTER_END_MS, LONGEST_MS } from './limits.js'
import type { SimulationOptions, SimulationResult } from './simulation.js'
import { buildWorld, type World } from './world.js'

/** A run with more events than these three allow is in an endless loop. Idle agents cause events too. */
const MOST_EVENTS = 100_000
const EVENTS_PER_PAGE = 200
const EVENTS_PER_AGENT = 5_000
/** Events between two reports of progress. */
const PROGRESS_EVENTS = 4_096
/** Waiting cells that are named when a crawl does not end. */
const SHOWN_CELLS = 5

export async function simulate(options: SimulationOptions): Promise<SimulationResult> {
  const world = buildWorld(options)
  try {
    await appendSeeds(world)
    startAgents(world)
    await runToEnd(world)
    if (!isBroken(world)) await checkRemains(world)
    return await resultOf(world)
  } finally {
    world.close()
  }
}

async function appendSeeds({ options, web, cells, ledger, routing }: World): Promise<void> {
  await ledger.append(
    web.seeds.map(url => ({
      cell: cells.cellOf(url),
      group: filedUnder(cells.cellOf(url), 'domain'),
      rows: [{ url, depth: 0, hops: 0, score: 1, via: '' }],
    })),
  )
  if (routing.table !== null) await ledger.set({ [ROUTING_STAGE]: String(FIRST_STAGE) })
  await ledger.estimate(options.sizes ?? [])
}

function startAgents({ options: { agents, startEveryMs = 0 }, fleet, time }: World): void {
  for (let agent = 0; agent < agents; agent++) {
    if (startEveryMs === 0) fleet.start()
    else time.after(agent * startEveryMs, () => fleet.start())
  }
}

async function runToEnd(world: World): Promise<void> {
  const { options, web, time, checker, fleet } = world
  const mostEvents = MOST_EVENTS + web.pages * EVENTS_PER_PAGE + options.agents * EVENTS_PER_AGENT
  const longestMs = LONGEST_MS + web.pages * options.delayMs
  let endedAt = Number.POSITIVE_INFINITY
  await time.run(() => {
    if (time.events % PROGRESS_EVENTS === 0)
      options.onProgress?.({
        acknowledged: checker.acknowledged.size,
        pages: web.pages,
        virtualMs: time.now,
      })
    if (checker.isClosed) endedAt = Math.min(endedAt, time.now)
    const isOver = checker.isClosed && fleet.isQuiet
    if (isOver || fleet.bugs.length > 0 || time.events > mostEvents || isBroken(world)) return true
    return time.now > Math.min(longestMs, endedAt + AFTER_END_MS)
  })
}

/** A violation was seen, and the run ends at the first. */
function isBroken({ options, checker }: World): boolean {
  return options.stopsEarly === true && checker.violations.length > 0
}

async function checkRemains(world: World): Promise<void> {
  const { checker, ledger, disk, fleet } = world
  const { isClosed } = checker
  const left = isClosed ? '' : await leftIn(world)
  await ledger.endAllLeases()
  checker.settle(await ledger.files(), disk, left, isClosed ? fleet.busy : [])
}

/** What a crawl that does not end still has to do, and the status of each agent. */
async function leftIn({ ledger }: World): Promise<string> {
  const { cells } = await ledger.totals()
  const states = Object.entries(cells).filter(([state, count]) => count > 0 && state !== 'finished')
  const statuses = (await ledger.agents()).map(
    ({ name, incarnation, status }) => `${name} (incarnation ${incarnation}): ${status}`,
  )
  const waiting = (await ledger.waiting(SHOWN_CELLS)).map(
    ({ cell, turn, turnOf }) =>
      `${cell} waits${turnOf === null ? '' : `, incarnation ${turnOf} has the turn of ${turn}`}`,
  )
  return [states.map(([state, count]) => `${count} ${state}`).join(', '), ...waiting, ...statuses].join(
    '\n  ',
  )
}

async function resultOf(world: World): Promise<SimulationResult> {
  const { time, web, history, checker, ledger, servers, fleet, faults, ledgerCalls } = world
  const agentWork = await ledger.agentWork()
  const metrics = await metricsOf(world, agentWork)
  const settings = await ledger.settings()
  const moves = recordsIn(settings).map(({ moved }) => moved ?? { askedBack: 0, forced: 0 })
  return {
    violations: [...fleet.bugs, ...checker.violations],
    history,
    metrics,
    faults,
    struck: fleet.struck,
    ledgerCalls,
    virtualMs: time.now,
    events: time.events,
    requests: servers.requests,
    fetches: checker.fetches,
    acknowledged: checker.acknowledged.size,
    pages: web.pages,
    refusedCommits: checker.refusedCommits,
    refusedFinishes: checker.refusedFinishes,
    agentWork,
    askedBack: moves.reduce((sum, { askedBack }) => sum + askedBack, 0),
    forced: moves.reduce((sum, { forced }) => sum + forced, 0),
    cells: cellCounts(settings),
  }
}

/** The figures of a crawl's report, with exact values where this world knows what a real crawl estimates. */
async function metricsOf(
  { ledger, checker, web }: World,
  agentWork: SimulationResult['agentWork'],
): Promise<Metrics> {
  const { overlap, acknowledged, fetches, urlsFetched } = checker
  const urls = { pages: urlsFetched, asked: urlsFetched, truth: null }
  return {
    ...measure(await ledger.totals(), agentWork, urls),
    overlap,
    overlapFetches: urlsFetched === 0 ? 0 : (fetches - urlsFetched) / urlsFetched,
    coverage: acknowledged.size / web.pages,
    coverageIsEstimate: false,
  }
}
