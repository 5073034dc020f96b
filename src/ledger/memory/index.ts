/**
 * ledger/memory/: the ledger in memory, for the simulator and as the reference of the contract suite.
 * Always: the same answers as the other backends; nothing survives the process.
 */
export { openMemoryLedger } from './memory-ledger.js'
export type { MemoryRule } from './memory-state.js'
