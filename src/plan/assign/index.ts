/**
 * plan/assign/: which agent crawls a waiting cell (port Assignment).
 * In: waiting cells and agents with free lanes. Out: grants. Implementations: simple/, learned/, phases/.
 */
export type {
  AgentView,
  Assigned,
  Assignment,
  BoundCell,
  LanePlan,
  PartPlan,
  RoutePlan,
  RoutingMember,
} from './assignment.js'
export { TurnRequests } from './turn-requests.js'
