/**
 * cluster/agent/pack/: outcomes become packs, packs are acknowledged. In: outcomes, rows, links. Out: a pack
 * in the store, then one ledger transaction. Always: store first; bytes are cut only after a definite
 * refusal.
 */
export { type FetchOutcome, fetchOutcomeOf, retryAfterMs } from './fetch-outcome.js'
export { MessageCount } from './message-count.js'
export { OpenPack } from './open-pack.js'
export { PageBudget } from './page-budget.js'
export { SentLinks } from './sent-links.js'
export { FencedError, Transmitter } from './transmitter.js'
