/**
 * page/source/: which source a URL comes from. In: the sources of a crawl, a request. Out: the
 * response of the source with the longest prefix, or of the server. Always: a request to a server keeps its
 * turn; only files and archives are read without one.
 */
export { SourceFetcher } from './source-fetcher.js'
export { SourceTable } from './source-table.js'
