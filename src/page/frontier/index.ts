/**
 * page/frontier/: links -> the next URL of a cell. In: links and outcomes. Out: the next URL that is due.
 * Always: a URL is queued once; the state of a cell can be rebuilt from its journal; memory has a bound.
 */
export { CellFrontier, type FrontierEntry } from './cell-frontier.js'
export { FrontierSpace } from './frontier-space.js'
export { JournalWriter, readDiscoveries, readJournal } from './journal-codec.js'
export { planSplit, sampleOf } from './plan-split.js'
export { type Decisions, rebuildCell } from './rebuild-cell.js'
export { UrlStates } from './url-states.js'
