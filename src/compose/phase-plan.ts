/** The plan of a crawl in phases: made once, when the crawl begins, and kept in its ledger. */
import type { AgentInput } from '../cluster/agent/index.js'
import { ConfigError, type CrawlConfig, readPhaseSettings } from '../config/index.js'
import { type CellMap, type Millis, SplitCells } from '../model/index.js'
import {
  makePlan,
  type PhasePlan,
  PLAN_SETTING,
  readPlan,
  ShardMap,
} from '../page/politeness/phases/index.js'
import { readFaults } from './faults.js'
import { systemClock as clock } from './system-clock.js'

/** Null where the crawl does not go in phases. Throws when what is asked for does not go together. */
export function planOf(config: CrawlConfig, startMs: Millis): PhasePlan | null {
  if (config.assign !== 'phases') {
    if (config.phases.length > 0) throw new ConfigError('--phases is for --assign phases')
    return null
  }
  if (config.group === 'ip')
    throw new ConfigError('--assign phases cannot be used with --group ip; use --group domain or none')
  const delayMs = config.delay === 'auto' ? 0 : config.delay
  const plan = makePlan(readPhaseSettings(config.phases), config.agents, delayMs, startMs)
  if (typeof plan === 'string') throw new ConfigError(`--phases: ${plan}`)
  return plan
}

/** What the ledger keeps of it. */
export function planSetting(plan: PhasePlan | null): Record<string, string> {
  return plan === null ? {} : { [PLAN_SETTING]: JSON.stringify(plan) }
}

export function cellsOf(plan: PhasePlan | null): CellMap {
  return plan === null ? new SplitCells() : new ShardMap(plan)
}

/** What an agent has to know of it; in tests its phase clock may be wrong. */
export function phasesOf(
  settings: Readonly<Record<string, string>>,
  agent: string,
): NonNullable<AgentInput['phases']> | null {
  const plan = readPlan(settings)
  if (plan === null) return null
  const { phaseSkewMs } = readFaults(process.env.ORBWEAVER_FAULTS)
  const isEven = Number(/\d+$/.exec(agent)?.[0] ?? 0) % 2 === 0
  return { plan, wall: () => clock.now(), skewMs: isEven ? phaseSkewMs : -phaseSkewMs }
}
