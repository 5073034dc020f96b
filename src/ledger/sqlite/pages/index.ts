/**
 * ledger/sqlite/pages/: checksums of the database pages, and the write-ahead log read without SQLite. In: the
 * database file and its log. Out: which pages are damaged. Always: a page is in the log or has its checksum
 * on disk.
 */
export { databasePage } from './database-pages.js'
export { checkPages, type LedgerProblem, type LedgerState } from './page-check.js'
export { pageSumsPath, readPageSums, removePageSums, sumOf } from './page-sums.js'
export { dropOrphanedSums, renewPageSums, sumLog, withoutWriters } from './sqlite-checkpoint.js'
export { flippedWalBit, walPath } from './wal-file.js'
export { readWalIndex } from './wal-index.js'
