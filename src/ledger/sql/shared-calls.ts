/** The calls of the port whose statements both engines share. */
import type { Ledger } from '../index.js'
import { agents, agentWork, readHeard } from './agent-calls.js'
import { bind, countWaiting, defer, estimate, laneLoads, leases, parked } from './cell-calls.js'
import { crawlState, reopen, saveSettings, settings, takeBudget, takeSeat } from './crawl-calls.js'
import { closeSilent, endAllLeases, heartbeat, join, leave, tryEnd } from './incarnation-calls.js'
import { finish, grant, park, release, rest } from './lease-calls.js'
import { files, readJournal, readJournals, swapFiles } from './pack-calls.js'
import { waiting } from './queue-calls.js'
import { loadMeta, loadOrigins, refusedOrigins, saveMeta, saveOrigin } from './site-facts.js'
import { joinAddresses, releaseTurn, saveWait, takeTurn, waits } from './turn-calls.js'

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

/** Whole calls that write; each gets the engine first. */
export const SHARED_WRITES = {
  bind,
  closeSilent,
  defer,
  endAllLeases,
  estimate,
  finish,
  grant,
  heartbeat,
  join,
  joinAddresses,
  leave,
  park,
  release,
  releaseTurn,
  reopen,
  rest,
  saveMeta,
  saveOrigin,
  saveWait,
  set: saveSettings,
  swapFiles,
  takeBudget,
  takeSeat,
  takeTurn,
  tryEnd,
  waiting,
} as const

/** All calls that only read: they need no transaction. */
export const READS = [
  ...(Object.keys(SHARED_READS) as (keyof typeof SHARED_READS)[]),
  'health',
  'readInbox',
  'sites',
  'totals',
] as const satisfies readonly (keyof Ledger)[]
