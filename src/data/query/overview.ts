/** The tables with their columns and sizes, and three queries that work on any crawl. */
import { plural, shellWord } from '../../model/index.js'
import { type Column, TABLE_MEANINGS, type TableName } from './columns.js'
import type { Tables } from './tables.js'

export interface TableOverview {
  readonly name: TableName
  readonly rows: number
  readonly columns: readonly Column[]
}

const TABLES: readonly TableName[] = ['pages', 'links', 'items', 'sites']

export const EXAMPLES: readonly string[] = [
  'SELECT outcome, fetch_status, count(*) AS pages FROM pages GROUP BY ALL ORDER BY pages DESC',
  "SELECT url, title, outlinks FROM pages WHERE outcome IN ('OK', 'NOT_MODIFIED') ORDER BY outlinks DESC LIMIT 10",
  'SELECT target_host_name, count(*) AS links FROM links GROUP BY ALL ORDER BY links DESC LIMIT 10',
]

export async function overviewOf(tables: Tables): Promise<TableOverview[]> {
  const overview: TableOverview[] = []
  for (const name of TABLES) {
    const columns: Column[] = []
    for await (const row of tables.query(`DESCRIBE ${name}`))
      columns.push({ name: String(row.column_name), type: String(row.column_type) })
    let rows = 0
    for await (const row of tables.query(`SELECT count(*) AS rows FROM ${name}`)) rows = Number(row.rows)
    // Most crawls have no guest, and so no items.
    if (name !== 'items' || rows > 0) overview.push({ name, rows, columns })
  }
  return overview
}

/** The overview for a person; `dir` goes into the examples so that they can be pasted. */
export function overviewText(overview: readonly TableOverview[], dir: string, width: number): string {
  const tables = overview.map(({ name, rows, columns }) => {
    const list = columns.map(column => `${column.name} ${column.type.toLowerCase()}`)
    return `${name}  ${plural(rows, 'row')}: ${TABLE_MEANINGS[name]}\n${wrap(list, width)}\n`
  })
  const examples = EXAMPLES.map(sql => `  orbweaver query ${shellWord(dir)} "${sql}"\n`)
  const isEmpty = overview.every(({ rows }) => rows === 0)
  const note = isEmpty
    ? '\nNo rows: nothing is committed yet, or the crawl was made with --tables none.\n'
    : ''
  return `${tables.join('\n')}${note}\nTry:\n${examples.join('')}`
}

/** Comma-separated, indented, broken at `width`. */
function wrap(words: readonly string[], width: number): string {
  const lines: string[] = []
  let line = ' '
  for (const [i, word] of words.entries()) {
    const piece = ` ${word}${i === words.length - 1 ? '' : ','}`
    if (line.length + piece.length > width && line.trim() !== '') {
      lines.push(line)
      line = ' '
    }
    line += piece
  }
  return [...lines, line].join('\n')
}
