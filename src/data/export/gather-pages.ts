/** Fills the index of an export from the tables of this crawl and of earlier ones. */
import { ConfigError } from '../../config/index.js'
import { forDisplay } from '../../model/index.js'
import { normaliseEscapes } from '../../model/url/index.js'
import { IS_PAGE, openTables, type Row, type Tables } from '../query/index.js'
import type { EarlierCrawls } from './earlier-crawls.js'
import type { ExportedPage, ExportIndex, RecordPlace } from './export-index.js'

const PLACE = 'warc_filename AS warc, warc_record_offset AS warc_offset, warc_record_length AS warc_length'

/** The body of the page was fetched by this crawl. */
const OWN = `${IS_PAGE} AND outcome <> 'NOT_MODIFIED' AND fetch_status = 200 AND warc_filename IS NOT NULL AND warc_refers_to_date IS NULL`

/** The body is in an earlier crawl: the server answered 304, or sent the same payload as before. */
const EARLIER = `(outcome = 'NOT_MODIFIED'
  OR ${IS_PAGE} AND fetch_status = 200 AND warc_filename IS NOT NULL AND warc_refers_to_date IS NOT NULL)`

/** If a URL has several rows, the first is used; rows with a body come first. */
const PAGES = `SELECT url, coalesce(title, '') AS title, coalesce(content_mime_detected, content_mime_type, '') AS mime,
    coalesce(content_charset, '') AS charset, fetch_time, coalesce(content_digest, '') AS digest,
    ${OWN} AS own, ${PLACE}
  FROM pages WHERE ${OWN} OR ${EARLIER} ORDER BY url, own DESC, fetch_time`

const BODIES = `SELECT url, content_digest AS digest, ${PLACE} FROM pages WHERE ${OWN} AND content_digest IS NOT NULL`

const REDIRECTS = 'SELECT url, redirect_target FROM pages WHERE redirect_target IS NOT NULL'

const COUNTS = `SELECT count(*) AS rows, count(*) FILTER (${IS_PAGE}) AS pages,
  count(warc_filename) AS archived FROM pages`

export interface CrawlCounts {
  readonly rows: number
  /** Pages that could be exported: fetched, or known not to have changed. */
  readonly pages: number
  /** Rows with a record in the archive. */
  readonly archived: number
}

/** Counts the rows that can be exported; throws a ConfigError if there are none. */
export async function countPages(tables: Tables, dir: string): Promise<CrawlCounts> {
  const counts = { rows: 0, pages: 0, archived: 0 }
  for await (const row of tables.query(COUNTS))
    for (const name of ['rows', 'pages', 'archived'] as const) counts[name] = Number(row[name])
  if (counts.rows === 0)
    throw new ConfigError(
      `${dir} has no rows in its tables: nothing was crawled yet, or it was made with --tables none`,
    )
  return counts
}

/** Throws a ConfigError when there are rows, but no page. */
export function refuseEmpty(counts: CrawlCounts, dir: string): void {
  if (counts.pages === 0)
    throw new ConfigError(`${dir} holds no page: none of the requested URLs could be fetched`)
}

/**
 * Indexes every page that `pathFor` gives a path and finds its body, if necessary in an earlier crawl.
 * Returns why some pages have no body; empty when all have one.
 */
export async function gatherPages(
  tables: Tables,
  index: ExportIndex,
  earlier: EarlierCrawls,
  pathFor: (page: ExportedPage) => string | null,
): Promise<string> {
  for await (const row of tables.query(PAGES)) {
    const page = pageOf(row)
    addTo(index, page, pathFor(page))
  }
  index.placeByPayload()
  const troubles: string[] = []
  for (const [i, directory] of earlier.directories.entries()) {
    if (index.unplaced() === 0) break
    const trouble = await placeFrom(directory, i + 1, index)
    if (trouble !== null) troubles.push(trouble)
  }
  if (index.unplaced() === 0) return ''
  return [...troubles, ...(earlier.trouble === '' ? [] : [earlier.trouble])].join('; ') || NOBODY_HOLDS
}

const NOBODY_HOLDS = 'no earlier crawl holds them'

/** Damaged or missing tables of an earlier crawl do not end the export. Returns what went wrong, or null. */
async function placeFrom(directory: string, archive: number, index: ExportIndex): Promise<string | null> {
  try {
    const tables = await openTables(directory)
    try {
      for await (const row of tables.query(BODIES))
        index.place(String(row.url), String(row.digest), placeOf(row, archive))
    } finally {
      await tables.close()
    }
    return null
  } catch (error) {
    return forDisplay((error as Error).message)
  }
}

export async function gatherRedirects(tables: Tables, index: ExportIndex): Promise<void> {
  for await (const row of tables.query(REDIRECTS))
    index.addRedirect(normaliseEscapes(String(row.url)), String(row.redirect_target))
}

function addTo(index: ExportIndex, page: ExportedPage, path: string | null): void {
  if (path === null) return
  index.add(page, path)
  // Links are normalised; older versions stored the page's URL with its escapes as written.
  const url = normaliseEscapes(page.url)
  if (url !== page.url) index.addRedirect(url, page.url)
}

function pageOf(row: Row): ExportedPage {
  return {
    url: String(row.url),
    title: String(row.title),
    mime: String(row.mime),
    charset: String(row.charset),
    fetchedAt: String(row.fetch_time),
    digest: String(row.digest),
    ...(row.own === true ? placeOf(row, 0) : NOWHERE),
  }
}

function placeOf(row: Row, archive: number): RecordPlace {
  return { archive, warc: String(row.warc), offset: Number(row.warc_offset), length: Number(row.warc_length) }
}

export const NOWHERE: RecordPlace = { archive: 0, warc: '', offset: 0, length: 0 }
