/**
 * model/: the words that every other folder shares: cell, page, outcome codes, limits, the ports Clock and
 * Random. Always: pure, and imports nothing but its own rooms (url/, bytes/).
 */

export {
  type CellId,
  cellOf,
  type Discovery,
  type Epoch,
  filedUnder,
  type GroupId,
  type Grouping,
  groupOf,
  type Lease,
  ownTurn,
  siteOfCell,
} from './cell.js'
export {
  type CellMap,
  type CellPart,
  childOf,
  type PathRange,
  pathOf,
  rangeCell,
  rangeOf,
  SplitCells,
} from './cell-map.js'
export { type Cancel, type Clock, type Millis, sleep } from './clock.js'
export {
  forDisplay,
  forTerminal,
  jsonForTerminal,
  number,
  plural,
  shellWord,
  withoutControls,
  withoutSecrets,
} from './display-text.js'
export { type FetchLimits, fetchLimits, READ_BYTES } from './fetch-limits.js'
export { addTo, groupBy, inBatches, sum } from './gather.js'
export { Heap } from './heap.js'
export { LIMITS } from './limits.js'
export { isSitemapMark, markOf, probeMark, sitemapMark, withoutMark } from './mark.js'
export {
  codesOf,
  type GuestFailureCode,
  isPage,
  isTrouble,
  type OutcomeCode,
  type OutcomeRule,
  outcomeRule,
  PAGE_CODES,
} from './outcome.js'
export {
  type Exchange,
  KEPT,
  type Kept,
  type KnownLinks,
  LinkKind,
  type LocalMedium,
  type MetaInfo,
  type PageRow,
  type ParsedPage,
  type Truncation,
} from './page.js'
export { isOfPage } from './page-error.js'
export { type Random, SeededRandom, UUID_CHARS, uuid, writeUuid } from './random.js'
export { redirectTarget } from './redirect.js'
export { firstIndex } from './search.js'
export { Semaphore } from './semaphore.js'
export { eitherOf, Stop, type StopSignal } from './stop.js'
export { readTraps, TRAP_RULES, type TrapName, type TrapRule } from './trap.js'
export { VERSION } from './version.js'
export { WakeUp } from './wake-up.js'
