/**
 * ledger/sql/: what SQLite and PostgreSQL have in common: the schema, the calls whose statements are the same,
 * and the copy of all tables from one engine to the other. In: arguments of the port. Out: statements for an
 * engine to run. Always: no connection and no clock; each engine runs the steps in its own way.
 */
import type { Ledger } from '../index.js'
import { agents, agentWork, readHeard } from './agent-calls.js'
import { laneLoads, leases, parked, saveWait, waits } from './cell-calls.js'
import { reopen, saveSettings, settings, takeBudget, takeSeat } from './crawl-calls.js'
import { files, readJournal, readJournals, swapFiles } from './pack-calls.js'
import { loadMeta, loadOrigins, refusedOrigins, saveOrigin } from './site-facts.js'

/** Whole calls of the port that only read. */
export const SHARED_READS = {
  agents,
  agentWork,
  files,
  laneLoads,
  leases,
  loadMeta,
  loadOrigins,
  parked,
  readHeard,
  readJournal,
  readJournals,
  refusedOrigins,
  settings,
  waits,
} as const

/** Whole calls that write; each gets the ledger's time first. */
export const SHARED_WRITES = {
  reopen,
  saveOrigin,
  saveWait,
  set: saveSettings,
  swapFiles,
  takeBudget,
  takeSeat,
} as const

/** All calls that only read: they need no transaction. */
export const READS = [
  ...(Object.keys(SHARED_READS) as (keyof typeof SHARED_READS)[]),
  'health',
  'readInbox',
  'sites',
  'totals',
] as const satisfies readonly (keyof Ledger)[]

export { addReceived } from './agent-calls.js'
export {
  countSitesInPieces,
  countWaiting,
  leases,
  offeredCells,
  outcomes,
  SITE_COLUMNS,
  sites,
  waits,
} from './cell-calls.js'
export {
  isIncarnationOpen,
  openIncarnations,
  publicSettings,
  shareOf,
  silentIncarnations,
} from './crawl-calls.js'
export { saveFiles } from './pack-calls.js'
export { SCHEMA_STEPS } from './schema.js'
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
