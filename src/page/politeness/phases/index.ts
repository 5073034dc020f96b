/**
 * page/politeness/phases/: the windows in which a node may crawl a host under the phases assignment. In: the
 * ledger's clock and the plan of phases. Out: whether a window is open, and until when. Always: two nodes
 * never have one host's window at once.
 */
export { PhaseClock } from './phase-clock.js'
export { type PhaseWindow, periodAt, usableMs, windowFor, windowOf } from './phase-windows.js'
export { makePlan, type PhasePlan, PLAN_SETTING, readPlan } from './plan.js'
export { phaseOf, ShardMap, shardOf } from './shard-map.js'
