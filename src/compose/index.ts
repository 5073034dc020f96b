/**
 * compose/: the only place that picks implementations, and the only one that knows the real clock and the
 * real random source. In: the ports of `runtime/platform/`. Out: a platform on which a crawl can run.
 */
export { chooseAssignment } from './choose-assignment.js'
export { homeKeys, newHomeKeys } from './open-envoys.js'
export { openGuest } from './open-guest.js'
export { openHostSource } from './open-host-source.js'
export { type PartitionOptions, partition } from './partition.js'
export { systemPlatform } from './platform.js'
export { checkRobots } from './robots-check.js'
export { systemClock } from './system-clock.js'
export { systemRandom } from './system-random.js'
