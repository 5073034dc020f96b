/**
 * ledger/sql/: what SQLite and PostgreSQL have in common: the schema, the calls whose statements are the
 * same, and the copy of all tables between engines. In: arguments of the port. Out: statements for an engine
 * to run. Always: no connection and no clock; each engine runs the steps in its own way.
 */
export { addWork } from './agent-calls.js'
export { countSitesInPieces, outcomes, SITE_COLUMNS, sites } from './cell-calls.js'
export { crawlState, isCrawlOpen, isIncarnationOpen } from './crawl-calls.js'
export type { Counter, Engine } from './engine.js'
export { isOfThisTimeline } from './incarnation-calls.js'
export { saveFiles } from './pack-calls.js'
export { SCHEMA_VERSION, stepsAfter } from './schema.js'
export { READS, SHARED_READS, SHARED_WRITES } from './shared-calls.js'
export { inSqlite, isList, type Row, type SqlValue, type Steps } from './sql-steps.js'
export {
  type CopiedRow,
  type CopiedTable,
  type CopiedValue,
  copyTables,
  type LedgerSource,
  type LedgerTarget,
  readSql,
} from './table-copy.js'
export { saveWaits } from './turn-calls.js'
