/**
 * simulate/fleet/: the machines of a simulated crawl. In: the parts that all agents share, and faults. Out:
 * agents that run the real code, fail, and are started again.
 */
export { Fleet } from './fleet.js'
export { IncarnationRecovery } from './incarnation-recovery.js'
export { learnedTruth, routingTableFor } from './learned-truth.js'
