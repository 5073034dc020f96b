/**
 * assign/: cell -> agent.
 * In: the cells that wait, in the order of S. Out: which of them an agent should lease.
 */
export type { Assignment } from './assignment.js'
export { HeadOfS } from './head-of-s.js'
