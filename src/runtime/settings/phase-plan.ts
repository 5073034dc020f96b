/** The plan of a crawl in phases: made once, when the crawl begins, and kept in its ledger. */
import { ConfigError, type CrawlConfig, readPhaseSettings } from '../../config/index.js'
import { type CellMap, type Millis, SplitCells } from '../../model/index.js'
import { makePlan, type PhasePlan, PLAN_SETTING, ShardMap } from '../../page/politeness/phases/index.js'

/** Null without phases. Throws when options contradict each other. */
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

/** The setting in which the ledger keeps the plan. */
export function planSetting(plan: PhasePlan | null): Record<string, string> {
  return plan === null ? {} : { [PLAN_SETTING]: JSON.stringify(plan) }
}

export function cellsOf(plan: PhasePlan | null): CellMap {
  return plan === null ? new SplitCells() : new ShardMap(plan)
}
