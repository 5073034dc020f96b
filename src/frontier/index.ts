/**
 * frontier/: links -> next URL.
 * In: discoveries (seeds, links, redirects). Out: the next URL of a cell, and its journal for the ledger.
 * Always: a URL joins a cell's queue once; memory is bounded however many URLs are known; everything here can be
 * rebuilt from the ledger, so a crash loses nothing.
 */
export { Bucket, type BucketElement } from './bucket.js'
export { BUCKET_SIZES, type BucketSizes } from './bucket-sizes.js'
export { CellFrontier, type FrontierEntry } from './cell-frontier.js'
export { FingerprintTable } from './fingerprint-table.js'
export { FrontierSpace } from './frontier-space.js'
export { JournalWriter, readDiscoveries, readJournal } from './journal-codec.js'
export { planSplit, sampleOf } from './plan-split.js'
export { type Decisions, rebuildCell } from './rebuild-cell.js'
export { Scope } from './scope.js'
export { SeenSet } from './seen-set.js'
export type { SeenSpace } from './seen-space.js'
export { Slab } from './slab.js'
export { HostNames } from './traps/host-names.js'
export { withoutSessionId } from './traps/session-ids.js'
export { SiteTraps } from './traps/site-traps.js'
export { UrlStates } from './url-states.js'
