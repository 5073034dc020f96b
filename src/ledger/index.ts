/**
 * ledger/: the port to the durable state: cells, leases, turns, inboxes, packs, settings. In: packs, appended
 * links, requests for leases. Out: the state that is committed. Always: a page is acknowledged in the
 * transaction that makes its links durable; a stale epoch commits nothing. Backends: memory/ (simulator),
 * sqlite/, postgres/ and remote/ (calls from another thread); rules/ and sql/ hold what they share.
 */

export type { Ledger } from './ledger.js'
export { ledgerOfCalls } from './ledger-calls.js'
export { LedgerClock } from './ledger-clock.js'
export { LedgerError } from './ledger-error.js'
export {
  type AgentRow,
  type AgentWork,
  CELL_STATES,
  type CellState,
  type ChildCell,
  type CrawlState,
  type FileRow,
  type FinishReason,
  type Heartbeat,
  INTERNAL_SETTINGS,
  type LaneLoad,
  type LaneName,
  type LedgerHealth,
  type LongTransaction,
  type MetaFacts,
  MOST_COUNTED,
  type OriginState,
  type ParkedCell,
  type RefusedOrigins,
  type SiteSummary,
  type Totals,
  type WaitingCell,
} from './ledger-rows.js'
export { SILENT_AFTER_MS } from './limits.js'
export type {
  Append,
  CommitResult,
  InboxRow,
  Incarnation,
  LaneWork,
  LinkBatch,
  OutcomeCount,
  Pack,
  PackCell,
  PackFile,
  ReceivedMessages,
} from './pack-rows.js'
export { type OnUnavailable, retryingLedger } from './retrying-ledger.js'
export { type SeatStatus, seatStatusOf } from './seat-status.js'
export { silenceOf, withHeartbeat } from './silence.js'
export { cellBatches, siteSummaries } from './site-summaries.js'
