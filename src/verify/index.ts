/**
 * verify/: finds and repairs damage. In: a crawl directory. Out: its damage; after a repair, a sound
 * directory and the list of lost URLs. Always: nothing damaged is deleted, it moves to quarantine/; after a
 * repair that was killed, the next repair starts again.
 */
export type { Damage } from './damage.js'
export { type RepairReport, repairDirectory } from './repair-directory.js'
export { verifyDirectory } from './verify.js'
