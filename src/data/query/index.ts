/**
 * data/query/: SQL over the tables of a crawl. In: a crawl directory and a statement. Out: rows. Always:
 * read-only; the digest of each file is compared before it is read.
 */
export { IS_PAGE } from './columns.js'
export { compareCrawls, type PageChanges } from './compare.js'
export { Connection, type Interruption } from './connection.js'
export { pathOf, requireCrawl } from './crawl-files.js'
export { formatTable } from './format-table.js'
export { csvPieces, jsonLines, jsonPieces } from './format-text.js'
export { defaultMemoryBytes, type QueryLimits } from './locked-instance.js'
export { EXAMPLES, overviewOf, overviewText } from './overview.js'
export { type PreviousPage, previousFacts, previousPages } from './previous.js'
export { type QueryOptions, queryRows } from './query-rows.js'
export { openStream, type Result } from './row-stream.js'
export { withScratch } from './scratch.js'
export { openTables, type Row, type Tables, type TablesOptions } from './tables.js'
export type { Value } from './values.js'
export { parquet, quoteText } from './views.js'
