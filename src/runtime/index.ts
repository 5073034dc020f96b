/**
 * runtime/: what a process does beside crawling: recovery, disk guard, live settings, planning before the
 * start. In: a configuration, a directory, a ledger. Out: a crawl that can start, go on and end. Always:
 * nothing acknowledged is removed.
 */
export { AgentAbilities } from './agent-abilities.js'
export { agentNames } from './agent-names.js'
export { DirectoryLock, takeLock } from './directory-lock.js'
export { DiskGuard } from './disk-guard.js'
export { AgentRestartLimitError, DirectoryBusyError, DiskFullError, NewerCrawlError } from './errors.js'
export { knownHosts } from './known-hosts.js'
export { type LearnStep, learn } from './learn-task.js'
export { initialSettings, LIVE_SETTINGS, LiveSettings, readLiveSetting } from './live-settings.js'
export { type Gauges, Monitor } from './monitor.js'
export { readNetworkCounters } from './network-counters.js'
export { PageSender, receivedPage, type SentPage } from './page-sender.js'
export { PageStream } from './page-stream.js'
export {
  type Heavy,
  makeRoutes,
  type Repartitioned,
  type RepartitionTask,
  type Routes,
  type RouteTask,
  repartition,
} from './route-task.js'
export {
  decodeTable,
  ROUTING_FILE,
  type RoutingRecord,
  readRoutingRecord,
  readTable,
  readTableBytes,
  routedOf,
  saveRoutingRecord,
  tableOf,
} from './routing-record.js'
export { saveWidened, widenedScope } from './scope-settings.js'
export { writeSitesTable } from './sites-table.js'
export { begunSplits, endSplits, splitHeavy, splitsHeavy } from './split-heavy.js'
export { type MissingBytes, surveyStore } from './store-survey.js'
export { UsageMeter, type UsageStart, type UsageTotal, usageStartNow } from './usage-meter.js'
