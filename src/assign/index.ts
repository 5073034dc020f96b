/**
 * assign/: cell -> agent.
 * In: the cells that wait, in the order of S, and the agents with their free lanes. Out: which cells each agent gets.
 * Always: no cell goes to two agents, and no agent gets more than its free lanes.
 * `plan-routing.ts` makes a routing table of what was learned; it brings the partitioner along, and is loaded where it is used.
 */
export {
  type AgentView,
  ASSIGNMENTS,
  type Assignment,
  type AssignmentName,
  isLearned,
} from './assignment.js'
export { chooseAssignment } from './choose.js'
export type { LearnedWeb } from './learned-web.js'
export { RoutingTable } from './routing-table.js'
