/**
 * cluster/agent/site/: one leased cell of an agent. In: a lease. Out: its frontier, pace, robots state and
 * progress. Always: the object has one owner, and changes only through its methods.
 */
export { BucketDispatcher } from './bucket-dispatcher.js'
export { Counters } from './counters.js'
export { LaneCount } from './lane-count.js'
export { OriginRobots, type OriginRobotsSettings, type OriginVerdict } from './origin-robots.js'
export { PageFaults } from './page-faults.js'
export { SiteCrawl, type SiteMode } from './site-crawl.js'
