/**
 * runtime/routing/: which agent gets which site, for assignments that learn. In: what this crawl or the
 * previous one has learned. Out: a routing table beside the crawl, its figures for the report, `learned/`.
 * Always: without a table the crawl continues with the assignment that it falls back on.
 */
export { keepLearned, type LearnedPlaces } from './keep-learned.js'
export { type LearnStep, learn } from './learn-task.js'
export { agentNames, planRoutes } from './plan-routes.js'
export { proposeRepartition } from './propose-repartition.js'
export { repartitionsOf } from './repartition-report.js'
export {
  type Heavy,
  makeRoutes,
  type Repartitioned,
  type RepartitionTask,
  type Routes,
  type RouteTask,
  repartition,
} from './route-task.js'
export {
  decodeTable,
  readRoutingRecord,
  readTable,
  readTableBytes,
  routedOf,
  tableOf,
} from './routing-record.js'
