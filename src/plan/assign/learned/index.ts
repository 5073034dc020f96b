/**
 * plan/assign/learned/: assignments by a routing table that was partitioned from the last crawl. In: what was
 * learned. Out: a routing table: site or IP prefix -> part. Always: agents and coordinator come to the same
 * answer.
 */
export { type AgentAbility, sharesOf } from './agent-shares.js'
export { cutWeb, type HeavySite, heavySitesOf, isPiece, type SiteSplit } from './cut-web.js'
export type { LearnedSite, LearnedWeb } from './learned-web.js'
export { LiveAssignment } from './live.js'
export { NetList } from './net-list.js'
export { machineOf } from './part-owners.js'
export { type GraphPlan, graphParts, planGraph } from './plan-graph.js'
export {
  hashedParts,
  hypergraphOf,
  messagesByHash,
  planRouting,
  type RoutingPlan,
  type RoutingRequest,
  tableOf,
} from './plan-routing.js'
export { isMoved, type PlacedAgent, type SiteLeft } from './predict-times.js'
export { type Prefix, PrefixTable } from './prefix-table.js'
export { planRepartition, type Repartition, type RepartitionRequest } from './repartition.js'
export { RoutedAssignment } from './routed.js'
export { PART_OWNERS, ROUTING_MEMBERS, ROUTING_STAGE, Routes, stageIn } from './routes.js'
export { type AddressOf, RoutingTable } from './routing-table.js'
