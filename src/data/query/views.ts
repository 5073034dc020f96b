/** The SQL of the views `pages`, `links` and `sites` over a list of Parquet files. */
import { resolve, sep } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { ConfigError } from '../../config/index.js'
import { codesOf, type OutcomeCode } from '../../model/index.js'
import { type Column, IS_PAGE, TABLE_COLUMNS, type TableName } from './columns.js'

export type TableFiles = Readonly<Record<TableName, readonly string[]>>

/** `sites` comes from its own file where there is one, else it is counted from the pages. */
export async function createViews(
  connection: DuckDBConnection,
  files: TableFiles,
  guest: string | null,
): Promise<void> {
  await createView(connection, 'pages', files.pages, TABLE_COLUMNS.pages)
  await createView(connection, 'links', files.links, TABLE_COLUMNS.links)
  await createView(connection, 'items', files.items, TABLE_COLUMNS.items)
  if (guest !== null && !TAKEN.has(guest.toLowerCase()))
    await connection.run(`CREATE VIEW ${quoteName(guest)} AS SELECT * FROM items`)
  if (files.sites.length === 0) await connection.run(`CREATE VIEW sites AS ${SITES_FROM_PAGES}`)
  else await connection.run(`CREATE VIEW sites AS SELECT * FROM ${parquet(files.sites)}`)
}

/** Names of views: a guest of such a name has none of its own. */
const TAKEN = new Set(['pages', 'links', 'items', 'sites', 'previous_pages'])

export async function createView(
  connection: DuckDBConnection,
  name: string,
  files: readonly string[],
  columns: readonly Column[],
): Promise<void> {
  if (files.length === 0) {
    const none = columns.map(({ name, type }) => `NULL::${type} AS ${name}`)
    await connection.run(`CREATE VIEW ${name} AS SELECT ${none.join(', ')} WHERE false`)
    return
  }
  const source = parquet(files)
  const found = await (await connection.run(`DESCRIBE SELECT * FROM ${source}`)).getRows()
  const types = new Map(found.map(row => [String(row[0]), String(row[1])]))
  const wanted = columns.map(column => selectItem(column, types.get(column.name)))
  const known = new Set(columns.map(column => column.name))
  const others = [...types.keys()].filter(column => !known.has(column)).map(quoteName)
  await connection.run(`CREATE VIEW ${name} AS SELECT ${[...wanted, ...others].join(', ')} FROM ${source}`)
}

/** A column as it is, cast, or NULL where files of an older version do not have it. */
function selectItem({ name, type }: Column, found: string | undefined): string {
  if (found === type) return name
  return found === undefined ? `NULL::${type} AS ${name}` : `${name}::${type} AS ${name}`
}

/**
 * Reads exactly these files and columns: DuckDB would expand `*` in a path, and add a column for a folder
 * `url=x`.
 */
export function parquet(files: readonly string[]): string {
  const list = files.map(path => quoteText(literalPath(path))).join(', ')
  return `read_parquet([${list}], union_by_name = true, hive_partitioning = false)`
}

/** The paths that a view over this file opens: DuckDB checks both the pattern and the file it matches. */
export function allowedPaths(path: string): string[] {
  return [resolve(path), literalPath(path)]
}

/** `path` as a pattern that only it matches. Absolute, because `~` at the start would be the home folder. */
function literalPath(path: string): string {
  const whole = resolve(path)
  if (!GLOB.test(whole)) return whole
  if (sep === '/' && whole.includes('\\'))
    throw new ConfigError(
      `DuckDB cannot open ${path}: with a backslash its path may not hold *, ? or [; rename the folder`,
    )
  return whole.replaceAll(/[*?[]/g, '[$&]')
}

const GLOB = /[*?[]/

export function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

const oneOf = (codes: readonly OutcomeCode[]) => `outcome IN (${codes.map(quoteText).join(', ')})`
/** Outcomes with a stored response, and outcomes without a request; all others failed. */
const isFetched = oneOf(codesOf('stored'))
const isRefused = `(${oneOf(codesOf('refused'))} OR outcome LIKE 'TRAP:%')`

/** The same columns as the sites file, counted from the pages. */
const SITES_FROM_PAGES = `
SELECT regexp_extract(url, '^[a-z]+://([^/?#]*)', 1) AS site,
  count(*) FILTER (${IS_PAGE}) AS pages,
  count(*) FILTER (${isFetched}) AS fetched,
  count(*) FILTER (NOT ${isFetched} AND NOT ${isRefused}) AS failed,
  count(*) FILTER (${isRefused}) AS refused,
  count(*) FILTER (outcome IN ('REDIRECT', 'REDIRECT_BAD')) AS redirects,
  count(*) FILTER (outcome = 'NOT_MODIFIED') AS not_modified,
  count(*) FILTER (outcome = 'HTTP_CLIENT_ERROR') AS client_errors,
  count(*) FILTER (outcome IN ('HTTP_SERVER_ERROR', 'HTTP_BUSY')) AS server_errors,
  coalesce(sum(body_bytes), 0)::BIGINT AS bytes,
  coalesce(sum(fetch_ms), 0)::BIGINT AS fetch_ms_total,
  min(fetch_time) FILTER (fetch_status IS NOT NULL) AS first_fetch,
  max(fetch_time) FILTER (fetch_status IS NOT NULL) AS last_fetch
FROM pages GROUP BY ALL`
