/**
 * assign/: cell -> agent.
 * In: the cells that wait, in the order of S, and the agents with their free lanes. Out: which cells each agent gets.
 * Always: no cell goes to two agents, and no agent gets more than its free lanes.
 */
export {
  type AgentView,
  ASSIGNMENTS,
  type Assignment,
  type AssignmentName,
} from './assignment.js'
export { chooseAssignment } from './choose.js'
