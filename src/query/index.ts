/**
 * query/: the tables of a crawl as SQL, and a crawl as files. In: a crawl directory, finished or running.
 * Out: rows, or an exported folder. Always: only committed rows are seen; the crawl is not changed; SQL
 * reaches its tables and nothing else; memory does not grow with the crawl.
 */
import { openTables, type Row } from './tables.js'

export { type Exported, exportFiles, exportJsonl, exportMarkdown } from './export/index.js'
export { formatTable } from './format-table.js'
export { csvPieces, jsonPieces } from './format-text.js'
export { EXAMPLES, overviewOf, overviewText } from './overview.js'
export { type PreviousPage, previousFacts, previousPages } from './previous.js'
export { openStream } from './row-stream.js'
export { openTables, type Result, type Row, type Tables } from './tables.js'
export type { Value } from './values.js'
export { quoteText } from './views.js'

/** The rows that `sql` selects from the tables of the crawl in `dir`. */
export async function* query(dir: string, sql: string): AsyncGenerator<Row> {
  const tables = await openTables(dir)
  try {
    yield* tables.query(sql)
  } finally {
    await tables.close()
  }
}
