/** plan/assign/simple/: assignments that need no previous crawl: dynamic, hash, static. */
export { DynamicAssignment } from './dynamic.js'
export { FreeLanes } from './free-lanes.js'
export { GrantRound } from './grant-round.js'
export { HashAssignment, Rendezvous } from './hash.js'
export { StaticAssignment } from './static.js'
