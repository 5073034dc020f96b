/**
 * cluster/agent/cells/: cells as they come to an agent and leave it.
 * In: leases. Out: cells that are finished, released, split or moved. Always: a cell is released only after its pages are committed.
 */
export { GivingBack } from './giving-back.js'
export { Holdings } from './holdings.js'
export { InboxNews } from './inbox-news.js'
export { RouteTaker, type RouteTakerParts } from './route-taker.js'
export { ShardTaker } from './shard-taker.js'
export { asDamage, SiteDesk } from './site-desk.js'
export { SiteSplitter } from './site-splitter.js'
export { SiteWork } from './site-work.js'
export { Slices } from './slices.js'
export { type SiteLoad, SpareSites } from './spare-sites.js'
export { TurnKeeping } from './turn-keeping.js'
