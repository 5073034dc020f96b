/**
 * verify/: a crawl directory in, its damage out.
 */
export type { Damage } from './damage.js'
export { type VerifyOptions, verifyDirectory } from './verify.js'
