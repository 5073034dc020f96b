/** The calls of the port whose statements both engines share. */
import type { Ledger } from '../index.js'
import { agents, agentWork, readHeard } from './agent-calls.js'
import { bind, countWaiting, defer, estimate, laneLoads, leases, parked } from './cell-calls.js'
import { crawlState, reopen, saveSettings, settings, takeBudget, takeSeat } from './crawl-calls.js'
import { files, readJournal, readJournals, swapFiles } from './pack-calls.js'
import { loadMeta, loadOrigins, refusedOrigins, saveOrigin } from './site-facts.js'
import { joinAddresses, saveWait, waits } from './turn-calls.js'

/** Whole calls of the port that only read. */
export const SHARED_READS = {
  agents,
  agentWork,
  countWaiting,
  crawlState,
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
  bind,
  defer,
  estimate,
  joinAddresses,
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
