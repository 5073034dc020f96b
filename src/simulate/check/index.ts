/**
 * simulate/check/: decides whether a run kept the promises. In: requests, ledger calls, packs on the disk.
 * Out: violations and a history. Always: it keeps its own records and trusts neither agents nor ledger.
 */
export { Checker, type Violation } from './checker.js'
export { History } from './history.js'
