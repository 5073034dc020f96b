/**
 * cluster/agent/cells/: the cells that an agent holds. In: leases. Out: cells that are finished, released,
 * split or moved. Always: a cell is released only after its pages are committed, unless by force.
 */
export { CellRelease } from './cell-release.js'
export { HeldCells, type SiteTasks } from './held-cells.js'
export { InboxNotices } from './inbox-notices.js'
export { RouteClaimer, type RouteClaimerParts } from './route-claimer.js'
export { ShardClaimer } from './shard-claimer.js'
export { asDamage, SiteOpener } from './site-opener.js'
export { SiteSplitter } from './site-splitter.js'
export { SiteWork } from './site-work.js'
export { Slices } from './slices.js'
export { type SiteLoad, SpareSites } from './spare-sites.js'
export { TurnHandOver } from './turn-hand-over.js'
