/** plan/assign/phases/: the assignment of shards to nodes by the phase clock. */
export { PhasesAssignment } from './phases.js'
