/**
 * report/: the figures of a crawl. In: the ledger, the journals, the counters of agents. Out: progress while
 * it runs, metrics, the final report.
 */
export { countUrls, type UrlCounts } from './count-urls.js'
export { KnownWeb } from './known-web.js'
export { type LiveMetrics, metricsNow } from './live-metrics.js'
export { type Metrics, measure, queuedOf } from './metrics.js'
export {
  type AgentProgress,
  agentProgress,
  type LedgerCount,
  type Progress,
  type ProgressSources,
  progressOf,
} from './progress.js'
export { buildReport, type Report, type RoutingReport } from './report.js'
export { normalised, sampleStdev } from './workload.js'
