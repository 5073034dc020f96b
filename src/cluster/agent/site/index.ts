/**
 * cluster/agent/site/: one leased cell in an agent: its frontier, its pace, its robots state, what is not
 * committed yet.
 */
export { BucketDispatcher } from './bucket-dispatcher.js'
export { Counters } from './counters.js'
export { LaneCount } from './lane-count.js'
export { OriginRobots, type OriginRobotsSettings, type OriginVerdict } from './origin-robots.js'
export { PageFaults } from './page-faults.js'
export { SiteCrawl, type SiteMode } from './site-crawl.js'
