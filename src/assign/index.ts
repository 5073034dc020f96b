/**
 * assign/: cell -> agent.
 * In: the cells that wait, in the order of S, and the agents with their free lanes. Out: which cells each agent gets.
 * Always: no cell goes to two agents, and no agent gets more than its free lanes.
 * `plan-routing.ts` and `plan-graph.ts` make a routing table of what was learned; they bring the partitioner along, and are loaded
 * where they are used.
 */
export type { AgentAbility } from './agent-shares.js'
export {
  type AgentView,
  ASSIGNMENTS,
  type Assignment,
  type AssignmentName,
  isLearned,
} from './assignment.js'
export { chooseAssignment } from './choose.js'
export { checkGraphWord, type GraphSettings, readGraphWords } from './graph-settings.js'
export { HandOut } from './hand-out.js'
export type { LearnedSite, LearnedWeb } from './learned-web.js'
export { LiveAssignment } from './live.js'
export { machineOf } from './part-owners.js'
export { PART_OWNERS, ROUTING_CREW, ROUTING_STAGE, Routes, stageIn } from './routes.js'
export { type AddressOf, RoutingTable } from './routing-table.js'
export { NET_KINDS } from './site-nets.js'
export { Visits } from './visits.js'
