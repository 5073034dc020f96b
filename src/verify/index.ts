/**
 * verify/: a crawl directory in, its damage out.
 */
export type { Damage } from './damage.js'
export { verifyDirectory } from './verify.js'
