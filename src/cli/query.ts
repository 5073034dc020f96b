/** `orbweaver query`: SQL over the tables of a crawl, finished or running. */
import type { Writable } from 'node:stream'
import { Command, Option } from 'commander'
import {
  csvPieces,
  EXAMPLES as EXAMPLE_QUERIES,
  formatTable,
  jsonPieces,
  openTables,
  overviewOf,
  overviewText,
  type Result,
  type Tables,
  type TablesOptions,
  type Value,
} from '../data/query/index.js'
import { forTerminal, jsonForTerminal, LIMITS } from '../model/index.js'
import { interruptible } from './exit/index.js'
import { type LimitFlags, readLimits, withLimits } from './options/index.js'
import { sendPieces, tell } from './output/index.js'

type Format = 'table' | 'csv' | 'json'

interface QueryFlags extends LimitFlags {
  readonly format: Format
}

const EXAMPLES = `
Examples:
  $ orbweaver query ./example.org-2026-01-31
      the tables, their columns, and example queries
  $ orbweaver query ./example.org-2026-01-31 "SELECT url, title FROM pages WHERE outcome = 'OK' LIMIT 20"
  $ orbweaver query ./example.org-2026-01-31 "SELECT * FROM links" --format csv > links.csv

  $ orbweaver query ./example.org-2026-01-31 "SELECT * FROM pages ORDER BY text" --timeout 60 --memory 4Gi

Works while the crawl runs. The SQL is DuckDB's; it can read the tables of this crawl and nothing else.
Ctrl-C and --timeout end the query with exit code 11.`

export function queryCommand(): Command {
  const command = new Command('query')
    .argument('<dir>', 'directory of the crawl')
    .argument('[sql]', 'one SELECT statement (default: list the tables)')
    .addOption(
      new Option('--format <how>', 'how to print the result')
        .choices(['table', 'csv', 'json'])
        .default('table'),
    )
  return withLimits(command)
    .addHelpText('after', EXAMPLES)
    .action(async (dir: string, sql: string | undefined, flags: QueryFlags) => {
      const limits = readLimits(flags)
      await interruptible(limits, interruption =>
        runQuery(dir, sql, flags.format, process.stdout, { ...limits, interruption }),
      )
    })
}

/** Prints the answer to `out`; throws a ConfigError when the directory or the SQL is not right. */
export async function runQuery(
  dir: string,
  sql: string | undefined,
  format: Format,
  out: Output,
  options: TablesOptions = {},
): Promise<void> {
  const note = (line: string) => tell(`orbweaver: ${line}\n`)
  const tables = await openTables(dir, { ...options, note })
  try {
    const width = out.columns ?? PLAIN_WIDTH
    const pieces =
      sql === undefined ? overview(tables, dir, format, width) : answer(await tables.run(sql), format, width)
    const sent = out.isTTY ? withoutControlCodes(pieces, format) : pieces
    await sendPieces(sent, out, options.interruption?.signal)
  } finally {
    await tables.close()
  }
}

/** The stream for the result: stdout, or a stream of a test. */
type Output = Writable & { readonly columns?: number; readonly isTTY?: boolean }

/** The width of a table if the output is not a terminal. */
const PLAIN_WIDTH = 160

async function* answer(result: Result, format: Format, width: number): AsyncGenerator<string> {
  if (format === 'csv') yield* csvPieces(result)
  else if (format === 'json') yield* jsonPieces(result)
  else yield await tableText(result, width)
}

/** The first rows as a table. */
export async function tableText(result: Result, width: number): Promise<string> {
  const maxRows = LIMITS.queryTableRows
  const shown: (readonly Value[])[] = []
  let more = false
  for await (const rows of result.batches()) {
    for (const row of rows) {
      more = shown.length === maxRows
      if (more) break
      shown.push(row)
    }
    if (more) break
  }
  return formatTable(result.columns, shown, more, width)
}

async function* overview(tables: Tables, dir: string, format: Format, width: number): AsyncGenerator<string> {
  const found = await overviewOf(tables)
  if (format === 'table') yield overviewText(found, dir, width)
  else if (format === 'json')
    yield `${JSON.stringify({ tables: found, examples: EXAMPLE_QUERIES }, null, 2)}\n`
  else {
    yield 'table,column,type\r\n'
    for (const { name, columns } of found)
      for (const column of columns) yield `${name},${column.name},${column.type}\r\n`
  }
}

/** Escapes control characters for a terminal; files and pipes get every byte. */
async function* withoutControlCodes(pieces: AsyncGenerator<string>, format: Format): AsyncGenerator<string> {
  const clean = format === 'json' ? jsonForTerminal : forTerminal
  for await (const piece of pieces) yield clean(piece)
}
