/**
 * query/: the tables of a crawl as SQL, and a crawl as files. In: a crawl directory, finished or running.
 * Out: rows, or an exported folder. Always: only committed rows are seen; the crawl is not changed; SQL
 * reaches its tables and nothing else; memory does not grow with the crawl.
 */
export { compareCrawls } from './compare.js'
export { Connection, type Interruption } from './connection.js'
export {
  type EarlierCrawls,
  type Exported,
  exportFiles,
  exportJsonl,
  exportMarkdown,
} from './export/index.js'
export { formatTable } from './format-table.js'
export { csvPieces, jsonPieces } from './format-text.js'
export { defaultMemoryBytes, type QueryLimits } from './locked-instance.js'
export { EXAMPLES, overviewOf, overviewText } from './overview.js'
export { type PreviousPage, previousFacts, previousPages } from './previous.js'
export { openStream } from './row-stream.js'
export { openTables, type Result, type Row, type Tables, type TablesOptions } from './tables.js'
export type { Value } from './values.js'
export { parquet, quoteText } from './views.js'
export { type QueryOptions, queryRows } from './query-rows.js'
