/**
 * verify/: a crawl directory in, its damage out; and with repair, a sound directory and what was lost.
 * Always: nothing damaged is deleted, it moves to quarantine/; a repair that is killed is done again by the
 * next one.
 */
export type { Damage } from './damage.js'
export { type RepairReport, repairDirectory } from './repair-directory.js'
export { verifyDirectory } from './verify.js'
