/** Rows of the pages table of a finished crawl. */
import { openTables } from '../../src/data/query/index.js'

export type PageRecord = Readonly<Record<string, unknown>>

/** `columns` as in SQL. */
export async function rowsOf(directory: string, columns = '*', table = 'pages'): Promise<PageRecord[]> {
  const tables = await openTables(directory)
  try {
    const rows: PageRecord[] = []
    for await (const row of tables.query(`SELECT ${columns} FROM ${table} ORDER BY url`))
      rows.push(row as PageRecord)
    return rows
  } finally {
    await tables.close()
  }
}
