/**
 * cluster/: the ledger, on SQLite; on PostgreSQL in `postgres-ledger.ts`, which is loaded only where it is
 * used. In: packs, appended links, leases asked for. Out: what is durably true. Always: a page is
 * acknowledged in the transaction that makes its links durable; a stale epoch commits nothing.
 */
export { type Bus, type BusMessage, type LaneStatus, LocalBus } from './bus.js'
export { databasePage } from './database-pages.js'
export { heardFrom, QUIET_MS, silenceOf } from './heard-from.js'
export { type HelmStatus, helmStatusOf } from './helm-status.js'
export * from './ledger.js'
export { checkLedger, ledgerIntegrity, ledgerProblem, refuseDamagedLedger } from './ledger-check.js'
export { checkPages, type LedgerProblem } from './page-check.js'
export { pageSumsPath, readPageSums, sumOf } from './page-sums.js'
export { siteSummaries } from './site-summaries.js'
export { renewPageSums } from './sqlite-checkpoint.js'
export { copyIntegrity, type LedgerCopy, openLedgerCopy, withLedgerCopy } from './sqlite-copy.js'
export { isUnwritable } from './sqlite-database.js'
export { LEDGER_FILE, openSqliteLedger } from './sqlite-ledger.js'
export { openLedgerToRead } from './sqlite-read.js'
export { portBus, relayBus } from './thread-bus.js'
export { portLedger, threadLedger } from './thread-ledger.js'
export { flippedWalBit, walPath } from './wal-file.js'
