/**
 * What became of the pages of one crawl in the next, by the tables of both. A page is a URL whose outcome is
 * OK or NOT_MODIFIED; two are the same if their payloads have the same digest.
 */
import { openTables, type Tables } from './tables.js'

interface PageChanges {
  /** Pages that were none before. */
  readonly new: number
  /** Pages of both crawls, with another payload or with the same. */
  readonly changed: number
  readonly unchanged: number
  /** Pages before that the server now calls not found or gone (404, 410). */
  readonly gone: number
  /** Pages before that are neither pages nor gone now: redirected, failed, refused, or not asked for yet. */
  readonly noPage: number
}

/** DuckDB's share: the process that crawls does this at its end. */
const MEMORY_BYTES = 256 * 1024 * 1024
/** Rows that are sorted at once. */
const PART_ROWS = 500_000

interface Visited {
  readonly url: string
  readonly isPage: boolean
  readonly digest: string
  readonly isGone: boolean
}

export async function compareCrawls(before: string, now: string, partRows = PART_ROWS): Promise<PageChanges> {
  const options = { memoryBytes: MEMORY_BYTES / 2, threads: 1 }
  const earlier = await openTables(before, options)
  try {
    const later = await openTables(now, options)
    try {
      return await compare(earlier, later, partRows)
    } finally {
      await later.close()
    }
  } finally {
    await earlier.close()
  }
}

async function compare(earlier: Tables, later: Tables, partRows: number): Promise<PageChanges> {
  const counts = { new: 0, changed: 0, unchanged: 0, gone: 0, noPage: 0 }
  const parts = Math.ceil(Math.max(1, await rowsIn(earlier), await rowsIn(later)) / partRows)
  for (let i = 0; i < parts; i++) {
    const condition = `hash(url) % ${parts} = ${i}`
    for await (const [was, is] of sideBySide(visits(earlier, condition), visits(later, condition))) {
      if (was?.isPage && is?.isPage) counts[was.digest === is.digest ? 'unchanged' : 'changed']++
      else if (is?.isPage) counts.new++
      else if (was?.isPage) counts[is?.isGone ? 'gone' : 'noPage']++
    }
  }
  return counts
}

async function rowsIn(tables: Tables): Promise<number> {
  for await (const { rows } of tables.query('SELECT count(*) AS rows FROM pages')) return Number(rows)
  return 0
}

const IS_PAGE = "outcome IN ('OK', 'NOT_MODIFIED')"

/** Each URL once, in order. */
async function* visits(tables: Tables, condition: string): AsyncGenerator<Visited> {
  const { batches } = await tables.run(`SELECT url, bool_or(${IS_PAGE}),
      coalesce(max_by(content_digest, fetch_time) FILTER (${IS_PAGE}), ''), bool_or(fetch_status IN (404, 410))
    FROM pages WHERE ${condition} GROUP BY url ORDER BY url`)
  for await (const rows of batches())
    for (const [url, isPage, digest, isGone] of rows)
      yield { url: String(url), isPage: isPage === true, digest: String(digest), isGone: isGone === true }
}

/** Both in the order of URLs: these are ASCII, so JavaScript orders them as DuckDB does. */
async function* sideBySide(
  earlier: AsyncGenerator<Visited>,
  later: AsyncGenerator<Visited>,
): AsyncGenerator<readonly [Visited | undefined, Visited | undefined]> {
  const next = async (from: AsyncGenerator<Visited>) => (await from.next()).value as Visited | undefined
  let [was, is] = [await next(earlier), await next(later)]
  while (was !== undefined || is !== undefined) {
    const first = is === undefined || (was !== undefined && was.url < is.url) ? was : is
    const pair = [was?.url === first?.url ? was : undefined, is?.url === first?.url ? is : undefined] as const
    yield pair
    if (pair[0]) was = await next(earlier)
    if (pair[1]) is = await next(later)
  }
}
