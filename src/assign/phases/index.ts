/**
 * assign/phases/: KSpider's partition (K). URL -> shard, host -> phase, ledger time -> which shard may ask which phase.
 * Always: no two shards are in one phase, also with clocks that are wrong by as much as the guard and do not know it.
 */
export { PhaseClock } from './phase-clock.js'
export { makePlan, type PhasePlan, PLAN_SETTING, readPlan } from './plan.js'
export { type PhaseWindow, periodAt, phaseOfShard, usableMs, windowFor, windowOf } from './rota.js'
export { checkPhaseWord, readPhaseWords } from './settings.js'
export { phaseOf, ShardMap, shardOf } from './shard-map.js'
