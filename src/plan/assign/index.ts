/**
 * plan/assign/: which agent crawls a waiting cell (port Assignment).
 * In: waiting cells and agents with free lanes. Out: grants. Implementations: simple/, learned/, phases/.
 */
export type {
  AgentView,
  Assigned,
  Assignment,
  CrewMember,
  LanePlan,
  PartPlan,
  RoutePlan,
} from './assignment.js'
export { Visits } from './visits.js'
