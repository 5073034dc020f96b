/**
 * cluster/agent/site/: one leased cell in an agent: its frontier, its pace, its robots state, what is not committed yet.
 */
export { BucketDesk } from './bucket-desk.js'
export { Counters } from './counters.js'
export { type GateSettings, type GateVerdict, OriginGate } from './origin-gate.js'
export { PageFaults } from './page-faults.js'
export { LaneCount, SiteCrawl, type SiteMode } from './site-crawl.js'
