/**
 * ledger/sqlite/: the ledger in one file of the crawl directory. In: calls of the port. Out: committed
 * transactions. Always: one connection writes, and many waiting calls share one commit.
 */
export { checkLedger, ledgerIntegrity, ledgerProblem, refuseDamagedLedger } from './ledger-check.js'
export { copyIntegrity, type LedgerCopy, openLedgerCopy, withLedgerCopy } from './sqlite-copy.js'
export { isUnwritable } from './sqlite-database.js'
export { LEDGER_FILE, type LedgerMethod, ledgerOver, openSqliteLedger, SqliteCore } from './sqlite-ledger.js'
export { openLedgerToRead } from './sqlite-read.js'
export { sqliteSource, sqliteTarget } from './sqlite-tables.js'
