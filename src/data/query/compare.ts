/**
 * Compares the pages of a crawl with those of the previous crawl, by the tables of both. A page is a URL
 * whose outcome is one of a page; it is unchanged if its payload has the same digest in both.
 */
import { COMPARE_MEMORY_BYTES, COMPARE_PART_ROWS } from '../limits.js'
import { IS_PAGE } from './columns.js'
import { openTables } from './tables.js'

export interface PageChanges {
  /** Pages whose URL was not a page in the previous crawl. */
  readonly new: number
  /** Pages of both crawls whose payload differs. */
  readonly changed: number
  readonly unchanged: number
  /** Pages of the previous crawl that the server now calls not found or gone (404, 410). */
  readonly gone: number
  /** Other pages of the previous crawl: redirected, failed, refused, or not requested yet. */
  readonly noPage: number
}

export async function compareCrawls(
  before: string,
  now: string,
  partRows = COMPARE_PART_ROWS,
): Promise<PageChanges> {
  const counts = { new: 0, changed: 0, unchanged: 0, gone: 0, noPage: 0 }
  const tables = await openTables(now, { memoryBytes: COMPARE_MEMORY_BYTES, threads: 1, previous: before })
  try {
    let parts = 1
    for await (const { rows } of tables.query(ROWS)) parts = Math.ceil(Math.max(1, Number(rows)) / partRows)
    for (let part = 0; part < parts; part++)
      for await (const row of tables.query(changesIn(`hash(url) % ${parts} = ${part}`)))
        for (const name of Object.keys(counts) as (keyof PageChanges)[]) counts[name] += Number(row[name])
  } finally {
    await tables.close()
  }
  return counts
}

const ROWS = 'SELECT greatest((SELECT count(*) FROM pages), (SELECT count(*) FROM previous_pages)) AS rows'

function changesIn(condition: string): string {
  const urls = (table: string) => `SELECT url, bool_or(${IS_PAGE}) AS is_page,
      coalesce(max_by(content_digest, fetch_time) FILTER (${IS_PAGE}), '') AS digest,
      bool_or(fetch_status IN (404, 410)) AS is_gone
    FROM ${table} WHERE ${condition} GROUP BY url`
  return `SELECT count(*) FILTER (now.is_page AND was.is_page IS NOT true) AS new,
      count(*) FILTER (now.is_page AND was.is_page AND now.digest <> was.digest) AS changed,
      count(*) FILTER (now.is_page AND was.is_page AND now.digest = was.digest) AS unchanged,
      count(*) FILTER (was.is_page AND now.is_page IS NOT true AND now.is_gone) AS gone,
      count(*) FILTER (was.is_page AND now.is_page IS NOT true AND now.is_gone IS NOT true) AS "noPage"
    FROM (${urls('pages')}) now FULL JOIN (${urls('previous_pages')}) was USING (url)`
}
