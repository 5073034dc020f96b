/**
 * data/store/: pages -> packs -> files (port PackStore). In: exchanges, page rows and links, collected per
 * cell in a `PackBuilder`. Out: WARC 1.1 files with a CDXJ index each, row logs, and the Parquet tables made
 * of them. Always: a file only grows while it is open (`<name>.open`) and never changes once it has its name;
 * what `append` returned is on disk; a pack can be taken back; `recover` cuts every file to its committed
 * length.
 */
export { DirectoryPackStore } from './directory-pack-store.js'
export { incarnationIn, locateFile, STORE_FOLDERS, storeEntries } from './file-names.js'
export { PackBuilder } from './pack-builder.js'
export type { AppendResult, CloseResult, PackBytes, PackStore, StoredFile } from './pack-store.js'
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
export { manifestOf, TableMerger, type TableWorker } from './table-merger.js'
export { type Holder, recover } from './truncate-to-committed.js'
