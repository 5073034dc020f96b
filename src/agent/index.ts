/**
 * agent/: the crawl loop of one process. Read agent.ts first.
 * In: leases of cells. Out: packs in the store, acknowledged by the ledger.
 * Always: a page is forgotten only after it is durable; a link is durable no later than its page.
 */
export { Admission } from './admission.js'
export { Agent, type AgentEnd, LEASE_MS } from './agent.js'
export { countUrls, type UrlCounts } from './count-urls.js'
export { Counters } from './counters.js'
export { type CrawledPage, type Hooks, loadHooks } from './hooks.js'
export { Lane, type LaneSettings } from './lane.js'
export { LaneManners } from './lane-manners.js'
export { PageBudget } from './page-budget.js'
export { type Progress, progressOf } from './progress.js'
export { Qualifier } from './qualifier.js'
export { buildReport, type Report } from './report.js'
export { Router } from './router.js'
export { SentLinks } from './sent-links.js'
export { Settler } from './settler.js'
export { LaneCount } from './site-crawl.js'
export { SiteDesk } from './site-desk.js'
export { SitemapDesk } from './sitemap-desk.js'
export { TableKeeper, type TableWorker } from './table-keeper.js'
export { Transmitter } from './transmitter.js'
export { Turns } from './turns.js'
