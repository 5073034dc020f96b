/**
 * data/store/warc/: exchanges -> WARC 1.1 records and CDXJ lines.
 * Always: one compressed member per record; an index line only for a record that is complete.
 */
export { parseArchiveFormat } from './archive-format.js'
export { appendCdxjEntry, appendCdxjLines, indexEntryOf, shiftCdxjEntry } from './cdxj.js'
export { finishIndex, type IndexTask } from './cdxj-index.js'
export { payloadDigest, sha1Digest } from './digest.js'
export { type Filler, fillerBytesMin, fillerRecords } from './filler-record.js'
export { warcInfo } from './warc-info.js'
export { type Conversion, type Revisit, WarcRecords, warcRecords } from './warc-records.js'
