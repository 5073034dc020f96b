/** `orbweaver query`: SQL over the tables of a crawl, finished or running. */
import { Readable, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Command, Option } from 'commander'
import { LIMITS } from '../model/limits.js'
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
  type Value,
} from '../query/index.js'
import { EXIT } from './exit-codes.js'

type Format = 'table' | 'csv' | 'json'

interface QueryFlags {
  readonly format: Format
}

const EXAMPLES = `
Examples:
  $ orbweaver query ./example.org-2026-01-31
      the tables, their columns, and queries to begin with
  $ orbweaver query ./example.org-2026-01-31 "SELECT url, title FROM pages WHERE outcome = 'OK' LIMIT 20"
  $ orbweaver query ./example.org-2026-01-31 "SELECT * FROM links" --format csv > links.csv

Works while the crawl runs. The SQL is DuckDB's; it can read the tables of this crawl and nothing else.`

export function queryCommand(): Command {
  return new Command('query')
    .argument('<dir>', 'the crawl')
    .argument('[sql]', 'one SELECT; without it the tables are listed')
    .addOption(
      new Option('--format <how>', 'how to print the result')
        .choices(['table', 'csv', 'json'])
        .default('table'),
    )
    .addHelpText('after', EXAMPLES)
    .action(async (dir: string, sql: string | undefined, flags: QueryFlags) => {
      const done = exitOnSignal()
      await runQuery(dir, sql, flags.format, process.stdout).finally(done)
    })
}

/** Prints the answer to `out`; throws a ConfigError when the directory or the SQL is not right. */
export async function runQuery(
  dir: string,
  sql: string | undefined,
  format: Format,
  out: Writable & { readonly columns?: number },
): Promise<void> {
  const tables = await openTables(dir, { note: line => process.stderr.write(`orbweaver: ${line}\n`) })
  try {
    const width = out.columns ?? PLAIN_WIDTH
    if (sql === undefined) await print(overview(tables, dir, format, width), out)
    else await print(answer(await tables.run(sql), format, width), out)
  } finally {
    await tables.close()
  }
}

/** Where there is no terminal to fit into. */
const PLAIN_WIDTH = 160

async function* answer(result: Result, format: Format, width: number): AsyncGenerator<string> {
  if (format === 'csv') yield* csvPieces(result)
  else if (format === 'json') yield* jsonPieces(result)
  else yield await table(result, width)
}

async function table(result: Result, width: number): Promise<string> {
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

/** No faster than it is read; a reader that leaves (`| head`) ends it quietly. */
async function print(pieces: AsyncGenerator<string>, out: Writable): Promise<void> {
  try {
    await pipeline(Readable.from(pieces), out, { end: false })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error
  }
}

/**
 * Ctrl-C ends the process in the orderly way, so that no scratch folder stays. Returns what takes the watch
 * off.
 */
export function exitOnSignal(): () => void {
  const end = () => process.exit(EXIT.interrupted)
  process.on('SIGINT', end)
  process.on('SIGTERM', end)
  return () => {
    process.off('SIGINT', end)
    process.off('SIGTERM', end)
  }
}
