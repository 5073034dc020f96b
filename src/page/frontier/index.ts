/**
 * page/frontier/: links -> the next URL of a cell. In: links and outcomes. Out: the next URL that is due.
 * Always: a URL is queued once; a cell's state can be rebuilt from its journal; memory is bounded.
 */
export { CellFrontier, type FrontierEntry } from './cell-frontier.js'
export { FrontierSpace } from './frontier-space.js'
export { JournalWriter, readDiscoveries, readJournal } from './journal-codec.js'
export { planSplit, sampleOf } from './plan-split.js'
export { type Decisions, rebuildCell } from './rebuild-cell.js'
export { UrlStates } from './url-states.js'
