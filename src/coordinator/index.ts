/**
 * coordinator/: which agent crawls what, and when the crawl is over.
 * In: the cells that wait and what agents say of their lanes. Out: leases, closed lives, the end.
 * Always: nothing is kept in memory alone; whoever takes the seat next goes on from the ledger.
 */
export { PART_OWNERS } from '../assign/index.js'
export { type CellCounts, cellCounts } from './cell-account.js'
export { Coordinator } from './coordinator.js'
export { placedAgents } from './placed-agents.js'
export {
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
export { FIRST_STAGE, newStage } from './route-desk.js'
export { sitesLeft } from './sites-left.js'
