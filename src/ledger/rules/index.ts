/**
 * ledger/rules/: the decisions that every backend makes alike, each as one pure function.
 * In: the values of the rows that a backend has read (and, where it can, locked). Out: the decision.
 * Always: no storage, no clock, no side effect; a backend that decides inside a statement is tested against
 * the function over an enumerated set of states (`test/contract/rules-in-sql.test.ts`).
 *
 * | rule | function | decided inside SQL |
 * |---|---|---|
 * | lease expiry | `hasExpired`, `isSilent`, `gapAfter`, `isRenewable` | all but `isRenewable` |
 * | coordinator's seat | `isSeatFree` | nowhere |
 * | turn expiry | `turnClaim` | nowhere |
 * | grant eligibility | `mayBeGranted`, `isOffered` | `isOffered` |
 * | wait after hand-over | `firstAllowed` | nowhere |
 * | fencing | `isHeldUnder`, `isNextPack` | `isHeldUnder` in release, park, rest |
 * | split of a cell | `maySplit` | nowhere |
 * | swap of files | `fileSwap` | nowhere |
 * | finish of a cell | `mayFinish` | `mayFinish` |
 * | end of the crawl | `endOfCrawl` | nowhere |
 * | page budget | `budgetBlock`, `debited` | `debited` |
 */
export { mayFinish } from './cell-finish.js'
export { maySplit } from './cell-split.js'
export { endOfCrawl } from './crawl-end.js'
export { fileSwap } from './file-swap.js'
export { isOffered, mayBeGranted } from './grant-eligibility.js'
export { firstAllowed } from './hand-over-wait.js'
export { gapAfter, hasExpired, isRenewable, isSeatFree, isSilent } from './lease-expiry.js'
export { isHeldUnder, isNextPack } from './lease-fence.js'
export { budgetBlock, debited } from './page-budget.js'
export { type TurnHolder, turnClaim } from './turn-claim.js'
