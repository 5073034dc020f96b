/**
 * Accepts one SELECT and nothing else. DuckDB's own locks (no external access, locked configuration) are a
 * second barrier and would not suffice: COPY could overwrite the table files, which may be opened, and some
 * table functions (`enable_logging`, `arrow_scan`) change state or take memory addresses.
 */
import { ConfigError } from '../../config/index.js'
import type { Connection } from './connection.js'
import { trimSql } from './trim-sql.js'

/** Table functions that read only their arguments or the catalogue. */
const HARMLESS = new Set([
  'range',
  'generate_series',
  'repeat',
  'repeat_row',
  'unnest',
  'json_each',
  'json_tree',
  'histogram',
  'histogram_values',
  'summary',
  'duckdb_columns',
  'duckdb_functions',
  'duckdb_keywords',
  'duckdb_tables',
  'duckdb_types',
  'duckdb_views',
  'pragma_table_info',
  'pragma_version',
])

const REFUSED = 'only one SELECT at a time is allowed here: query reads the crawl and changes nothing'

/** The result of DuckDB's parser: a syntax tree or an error. */
interface Serialized {
  readonly error: boolean
  readonly error_type?: string
  readonly error_message?: string
  readonly statements?: readonly unknown[]
}

/** One SELECT that has passed the check. */
export interface Select {
  /** Can stand in parentheses. */
  readonly text: string
  /** `EXPLAIN ` or `EXPLAIN ANALYZE ` if the statement began with it. */
  readonly explain: string
}

/** Throws a ConfigError unless `sql` is a single harmless SELECT (or EXPLAIN of one). */
export async function checkReadOnly(connection: Connection, sql: string): Promise<Select> {
  // DuckDB would check the whole text but run only the part before the NUL.
  if (sql.includes('\0')) throw new ConfigError('the SQL holds a NUL character')
  const whole = trimSql(sql)
  const explain = /^EXPLAIN(\s+ANALYZE)?(?=\W)/i.exec(whole)?.[0] ?? ''
  const text = trimSql(whole.slice(explain.length))
  if (text === '') throw new ConfigError('the query is empty')
  const tree = await serialized(connection, text)
  if (tree.error) {
    if (tree.error_type === 'not implemented') throw new ConfigError(REFUSED)
    throw new ConfigError(`the SQL is not understood: ${tree.error_message}`)
  }
  if (tree.statements?.length !== 1) throw new ConfigError(REFUSED)
  for (const name of tableFunctions(tree.statements))
    if (!HARMLESS.has(name.toLowerCase()))
      throw new ConfigError(`${name}(...) is not allowed here: query reads the tables of the crawl only`)
  return { text, explain: explain === '' ? '' : `${explain} ` }
}

async function serialized(connection: Connection, sql: string): Promise<Serialized> {
  const [[json]] = await connection.call(async inner =>
    (await inner.run('SELECT json_serialize_sql($1::VARCHAR)', [sql])).getRows(),
  )
  // DuckDB writes 1e400 as `Infinity`, which is not JSON. Only function names are read from the result, and
  // they contain no colon.
  return JSON.parse(String(json).replaceAll(/:-?(?:Infinity|NaN)/g, ':0')) as Serialized
}

/** Names of all table functions, at any depth. */
function tableFunctions(tree: unknown): string[] {
  const names: string[] = []
  const pending: unknown[] = [tree]
  while (pending.length > 0) {
    const node = pending.pop()
    if (typeof node !== 'object' || node === null) continue
    const { type, function: call } = node as { type?: unknown; function?: { function_name?: unknown } }
    if (type === 'TABLE_FUNCTION') names.push(String(call?.function_name))
    for (const child of Object.values(node)) pending.push(child)
  }
  return names
}
