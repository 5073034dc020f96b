/**
 * cluster/coordinator/: which agent crawls what, and when the crawl is over. In: the waiting cells and the
 * free lanes of the agents. Out: leases, closed incarnations, the end. Always: nothing is kept in memory
 * alone; the next coordinator continues from the ledger.
 */
export { type CellCounts, cellCounts } from './cell-account.js'
export { Coordinator, type CoordinatorParts } from './coordinator.js'
export { CoordinatorSeat } from './coordinator-seat.js'
export { placedAgents } from './placed-agents.js'
export { remainingSites } from './remaining-sites.js'
export {
  type MeasuredPace,
  type Moved,
  markOf,
  type Predicted,
  paceIn,
  predictedOf,
  type RepartitionRecord,
  recordsIn,
  spanIn,
  withAfter,
} from './repartition-record.js'
export { type Proposal, Repartitioner } from './repartitioner.js'
export { FIRST_STAGE, newStage } from './route-publisher.js'
