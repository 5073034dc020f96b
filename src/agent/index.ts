/**
 * agent/: the crawl loop of one process. Read agent.ts first.
 * In: leases of cells. Out: packs in the store, acknowledged by the ledger.
 * Always: a page is forgotten only after it is durable; a link is durable no later than its page.
 */
export type { Agent, AgentEnd } from './agent.js'
export type { AgentInput } from './agent-input.js'
export { type AssembledAgent, assembleAgent } from './assemble-agent.js'
export { type Content, NO_CONTENT, unchanged } from './content.js'
export { countUrls, type UrlCounts } from './count-urls.js'
export { FencedError } from './fenced-error.js'
export { type CrawledPage, HOOK_NAMES, type Hooks, loadHooks } from './hooks.js'
export { KnownWeb } from './known-web.js'
export type { LaneSettings } from './lane.js'
export type { AgentCapacity, MachineLoad } from './lane-offer.js'
export { type Metrics, measure, queuedOf } from './metrics.js'
export { rowOf } from './outcome-row.js'
export { isService } from './page-keeper.js'
export { PRODUCT_TOKEN, rulesOfPage } from './page-robots.js'
export type { Peer } from './peer-probe.js'
export type { PhaseMistake } from './phase-gates.js'
export {
  type AgentProgress,
  agentProgress,
  type LedgerCount,
  type Progress,
  type ProgressSources,
  progressOf,
} from './progress.js'
export { HEARTBEAT_MS, LEASE_MS } from './pulse.js'
export { type AgentReport, agentReports, buildReport, type Report } from './report.js'
export { LinkRows, type WantedLinks } from './router.js'
export { isPage, settlementOf } from './settlement.js'
export { isReadable } from './settler.js'
export { asDamage } from './site-desk.js'
export { manifestOf, TableKeeper, type TableWorker } from './table-keeper.js'
export type { Turns } from './turns.js'
export { normalised, sampleStdev } from './workload.js'
