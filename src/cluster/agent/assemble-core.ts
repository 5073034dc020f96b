/** The parts of an agent that use no other part of it. */
import type { CrawlConfig } from '../../config/index.js'
import { readTraps, SplitCells, WakeUp } from '../../model/index.js'
import { delayAfter, LeasedFetcher, LeaseMargin, PhaseGates, RateLimit } from '../../page/politeness/index.js'
import { ShardMap } from '../../page/politeness/phases/index.js'
import { SourceTable } from '../../page/source/index.js'
import type { AgentInput } from './agent-input.js'
import { AgentStop } from './agent-stop.js'
import type { LaneSettings } from './lane/index.js'
import { PageBudget, SentLinks } from './pack/index.js'
import { Counters, LaneCount, PageFaults } from './site/index.js'

export type AgentCore = ReturnType<typeof coreOf>

export function coreOf(input: AgentInput) {
  const { clock, config, ledger, incarnation, leaseMs } = input
  const wake = new WakeUp(clock)
  const stopping = new AgentStop(wake)
  const leaseMargin = new LeaseMargin(clock, leaseMs, stopping.signal)
  const phases = phaseGatesOf(input, leaseMargin, stopping)
  const settings = laneSettings(config)
  const leastDelayMs = () => delayAfter(settings.delay, 0)
  return {
    wake,
    stopping,
    leaseMargin,
    phases,
    settings,
    fetcher: new LeasedFetcher(input.fetcher, leaseMargin),
    counters: new Counters(),
    laneCount: new LaneCount(config.lanes),
    budget: new PageBudget(ledger, incarnation),
    sent: new SentLinks(Math.floor(input.random.next() * 2 ** 32)),
    isLocal: localUrls(config),
    cells: phases === null ? new SplitCells() : new ShardMap(phases.plan),
    faults: new PageFaults(input.log),
    rate: new RateLimit(clock),
    envoys: input.newEnvoys?.({ leftMs: () => leaseMargin.leftMs, leastDelayMs }) ?? null,
    leastDelayMs,
    maxWaitMs: config.maxWait * 1000,
    maxDepth: config.maxDepth ?? Number.POSITIVE_INFINITY,
    maxTries: config.tries ?? Number.POSITIVE_INFINITY,
    traps: readTraps(config.traps) ?? new Set(),
  }
}

function phaseGatesOf(
  { phases, clock, ledger, config, leaseMs }: AgentInput,
  leaseMargin: LeaseMargin,
  { fail: onFailure }: AgentStop,
): PhaseGates | null {
  if (!phases) return null
  return new PhaseGates({ ...phases, clock, ledger, leaseMargin, leaseMs, grouping: config.group, onFailure })
}

/** True for URLs for which no server is asked. */
function localUrls({ source }: CrawlConfig): (url: string) => boolean {
  const table = new SourceTable(source)
  return table.isEmpty ? () => false : url => table.isLocal(url)
}

function laneSettings({ delay, maxCrawlDelay, connectionsPerSite }: CrawlConfig): LaneSettings {
  return { delay, maxCrawlDelayMs: maxCrawlDelay * 1000, connectionsPerSite, paused: false }
}
