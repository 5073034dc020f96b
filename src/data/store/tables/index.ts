/**
 * data/store/tables/: page rows and links -> row logs, and the manifest of the table files.
 * Always: a row log is readable up to its committed length.
 */
export { HostFacts } from './host-facts.js'
export { appendItems, itemsIn } from './item-rows.js'
export { HostNotes, type LearnedNotes, NetNotes } from './learned-notes.js'
export { appendLinks, LinkRowView, type PageLinks } from './link-rows.js'
export {
  MANIFEST,
  type Manifest,
  manifestFiles,
  readManifest,
  type TableFiles,
  writeManifest,
} from './manifest.js'
export { hostsInLogs, netsInLogs, type OpenLog } from './open-logs.js'
export { type PageFacts, packFacts, unpackFacts } from './page-facts.js'
export { appendPageRow, PageInt, PageNumber, PageRowView, PageText, shiftPageRow } from './page-row.js'
export { RowLogWriter } from './row-log-writer.js'
export {
  DAMAGED_FILE,
  DamagedFileError,
  digestSegments,
  packsBetween,
  type RowTable,
  readSegments,
  type Segment,
  salvageSegments,
  segmentBuffers,
} from './segment.js'
export { tableLinks, tableRow, tableUrl } from './table-url.js'
export { readBlocks, readTexts, TextBlocks, validText } from './text-blocks.js'
export { WordNotes } from './word-notes.js'
