/**
 * ledger/postgres/: the ledger in PostgreSQL, shared by processes on many machines. In: calls of the port.
 * Out: committed transactions, repeated after a conflict. Always: cells are locked in the order of their
 * names; an inbox is read only below the oldest running transaction.
 */
export { PostgresConnection, quoted } from './postgres-connection.js'
export { type CopyPolicy, schemaOf } from './postgres-crawls.js'
export { checkNewCrawl, openPostgresLedger } from './postgres-ledger.js'
export { postgresSource, postgresTarget } from './postgres-tables.js'
