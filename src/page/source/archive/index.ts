/**
 * page/source/archive/: pages from WARC files instead of from their servers. In: the WARC files of any
 * crawler. Out: an index of their captures, and the response that the latest capture of a URL recorded.
 * Always: memory is bounded, whatever the files say of their lengths; a URL comes only from a record of that
 * URL.
 */
export { archiveFiles } from './archive-files.js'
export { ArchiveReader } from './archive-reader.js'
export { type BuiltIndex, buildIndex, indexFile } from './build-index.js'
