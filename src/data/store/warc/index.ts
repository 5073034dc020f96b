/**
 * data/store/warc/: exchanges -> WARC 1.1 records and CDXJ lines, and back.
 * Always: one compressed member per record; an index line only for a record that is complete.
 */
export { parseArchiveFormat } from './archive-format.js'
export { appendCdxjEntry, appendCdxjLines, indexEntryOf, shiftCdxjEntry } from './cdxj.js'
export { finishIndex, type IndexTask } from './cdxj-index.js'
export { payloadDigest, sha1Digest } from './digest.js'
export { type Filler, fillerBytesMin, fillerRecords } from './filler-record.js'
export { warcInfo } from './warc-info.js'
export {
  type ArchivedResponse,
  archivedPayload,
  responseOf,
  type SoundRecord,
  WarcReader,
  type WarcRecord,
} from './warc-reader.js'
export { type Revisit, WarcRecords, warcRecords } from './warc-records.js'
