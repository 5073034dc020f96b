/**
 * pages -> files.
 *
 * In: exchanges, page rows and links, collected per cell in a `PackBuilder`. Out: WARC 1.1 files with a CDXJ
 * index each, row logs, and the Parquet tables made of them.
 *
 * Always holds: files only grow while they are open (`<name>.open`) and never change once they have their
 * name; what `append` returned is on the disk; a pack can be taken back, and written again without some of
 * its cells; `recover` brings every file to its committed length, however a crash left it; a Parquet file, a
 * sorted index and the manifest are there whole or not at all; conversion needs memory for one row group.
 *
 * Read on in `pack-builder.ts` (one pack in memory), `directory-pack-store.ts` (packs to files),
 * `warc-records.ts`, `segment.ts` (row logs), `text-blocks.ts`, `parquet/convert.ts`, `recover.ts`.
 */
export { parseArchiveFormat } from './archive-format.js'
export { ByteSink } from './byte-sink.js'
export { appendCdxjEntry, appendCdxjLines } from './cdxj.js'
export { finishIndex, type IndexTask } from './cdxj-index.js'
export { CheckedFiles, compareFile, type FileProblem, type ListedFile } from './checked-files.js'
export { DamageError, damageError } from './damage-error.js'
export { payloadDigest, sha1Digest } from './digest.js'
export { DirectoryPackStore } from './directory-pack-store.js'
export { DurableFile, syncDirectory, writeFileAtomically } from './durable.js'
export { digestFile } from './file-digest.js'
export { completeLogs, lifeIn, locateFile, STORE_FOLDERS } from './file-names.js'
export { type Filler, fillerBytesMin, fillerRecords } from './filler-record.js'
export { OPEN, pathInside, readSmallFile, readTextFile, refuseLinks } from './inside.js'
export { copyKept, openKept } from './kept-file.js'
export type { PageLinks } from './link-rows.js'
export {
  listedIn,
  MANIFEST,
  type Manifest,
  readManifest,
  type TableFiles,
  writeManifest,
} from './manifest.js'
export { hostsInLogs, netsInLogs, type OpenLog } from './open-logs.js'
export { PackBuilder } from './pack-builder.js'
export type { AppendResult, CloseResult, PackBytes, PackStore, StoredFile } from './pack-store.js'
export { type PageFacts, packFacts, unpackFacts } from './page-facts.js'
export { PageRowView, PageText } from './page-row.js'
export {
  checkPair,
  GENERATIONS_FILE,
  GENERATIONS_SETTING,
  ledgerGenerations,
  PairError,
  pairError,
  pairRelation,
  withGeneration,
  writeGenerations,
} from './pair.js'
export { concatParquet, type ParquetInput, parquetRows } from './parquet/concat.js'
export { type Converted, type ConvertTask, convertLogs, type WrittenParquet } from './parquet/convert.js'
export { linkKindOf } from './parquet/link-table.js'
export { type SiteRow, writeSites } from './parquet/site-table.js'
export { type Holder, recover } from './recover.js'
export { RowLogWriter } from './row-log-writer.js'
export { readSealed, writeSealed } from './sealed-json.js'
export {
  DAMAGED_FILE,
  DamagedFileError,
  packsBetween,
  readSegments,
  type Segment,
  salvageSegments,
} from './segment.js'
export { tableLinks, tableRow, tableUrl } from './table-url.js'
export { warcDate } from './utc-text.js'
export { warcInfo } from './warc-info.js'
export {
  type ArchivedResponse,
  archivedPayload,
  responseOf,
  WarcReader,
  type WarcRecord,
} from './warc-reader.js'
export { type Revisit, WarcRecords, warcRecords } from './warc-records.js'
export { copyBytes, writeWhole } from './whole-writes.js'
