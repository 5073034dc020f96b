/**
 * runtime/platform/: the ports of the runtime. In: nothing. Out: the interfaces that `compose/` implements.
 * Always: code of the runtime reaches the clock, the random source, threads and ledgers through them.
 */
export {
  type CrawlInDatabase,
  inDatabase,
  type LedgerHost,
  type Ledgers,
  type LedgerUse,
  type ProcessBus,
} from './ledgers.js'
export type {
  AgentOrder,
  AgentParts,
  HostedAgent,
  LearnedTable,
  Platform,
  StorePlace,
  ThreadName,
  ThreadOptions,
} from './platform.js'
