/**
 * cluster/: the ledger, on SQLite.
 * In: packs, appended links, leases asked for. Out: what is durably true.
 * Always: a page is acknowledged in the transaction that makes its links durable; a stale epoch commits nothing.
 */
export * from './ledger.js'
export { openSqliteLedger } from './sqlite-ledger.js'
export { threadLedger } from './thread-ledger.js'
