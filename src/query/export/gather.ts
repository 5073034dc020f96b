/** Fills the book of an export from the tables. */
import { ConfigError } from '../../config/config-error.js'
import { normaliseEscapes } from '../../model/url-escapes.js'
import type { Row, Tables } from '../tables.js'
import type { ExportBook, ExportedPage } from './export-book.js'

/** Pages with a body in the archive. */
const STORED = `SELECT url, coalesce(title, '') AS title, coalesce(content_mime_detected, content_mime_type, '') AS mime,
    coalesce(content_charset, '') AS charset, fetch_time, coalesce(content_digest, '') AS digest,
    warc_filename AS warc, warc_record_offset AS warc_offset, warc_record_length AS warc_length
  FROM pages WHERE outcome = 'OK' AND fetch_status = 200 AND warc_filename IS NOT NULL`

/** Pages that did not change since the previous crawl, where this one holds the same payload under another URL. */
const UNCHANGED = `SELECT p.url, s.* EXCLUDE (url) FROM pages p
  JOIN (SELECT DISTINCT ON (digest) * FROM (${STORED}) WHERE digest <> '') s ON p.content_digest = s.digest
  WHERE p.outcome = 'NOT_MODIFIED'`

const REDIRECTS = 'SELECT url, redirect_target FROM pages WHERE redirect_target IS NOT NULL'

const COUNTS = `SELECT count(*) AS rows, count(*) FILTER (outcome IN ('OK', 'NOT_MODIFIED')) AS pages,
  count(*) FILTER (outcome = 'NOT_MODIFIED') AS unchanged, count(warc_filename) AS archived FROM pages`

export interface CrawlCounts {
  readonly rows: number
  /** Pages that could be exported: fetched, or known not to have changed. */
  readonly pages: number
  readonly unchanged: number
  /** Rows with a record in the archive. */
  readonly archived: number
}

/** What there is to export; throws a ConfigError when it is nothing at all. */
export async function countPages(tables: Tables, dir: string): Promise<CrawlCounts> {
  const counts = { rows: 0, pages: 0, unchanged: 0, archived: 0 }
  for await (const row of tables.query(COUNTS))
    for (const name of ['rows', 'pages', 'unchanged', 'archived'] as const) counts[name] = Number(row[name])
  if (counts.rows === 0)
    throw new ConfigError(
      `${dir} has no rows in its tables: nothing was crawled yet, or it was made with --tables none`,
    )
  return counts
}

/** Throws a ConfigError when there are rows, but no page. */
export function refuseEmpty(counts: CrawlCounts, dir: string): void {
  if (counts.pages === 0)
    throw new ConfigError(`${dir} holds no page: nothing that was asked for could be fetched`)
}

/** Books every page with a body that `pathFor` gives a path; returns how many unchanged ones found a body. */
export async function gatherPages(
  tables: Tables,
  book: ExportBook,
  pathFor: (page: ExportedPage) => string | null,
): Promise<number> {
  for await (const row of tables.query(`${STORED} ORDER BY url, fetch_time`))
    addTo(book, pageOf(row), pathFor)
  let found = 0
  for await (const row of tables.query(`${UNCHANGED} ORDER BY 1`)) {
    addTo(book, pageOf(row), pathFor)
    found++
  }
  return found
}

export async function gatherRedirects(tables: Tables, book: ExportBook): Promise<void> {
  for await (const row of tables.query(REDIRECTS))
    book.addRedirect(normaliseEscapes(String(row.url)), String(row.redirect_target))
}

function addTo(book: ExportBook, page: ExportedPage, pathFor: (page: ExportedPage) => string | null): void {
  const path = pathFor(page)
  if (path === null) return
  book.add(page, path)
  // Links are in normal form; the page may be of a version that kept escapes as written.
  const url = normaliseEscapes(page.url)
  if (url !== page.url) book.addRedirect(url, page.url)
}

function pageOf(row: Row): ExportedPage {
  return {
    url: String(row.url),
    title: String(row.title),
    mime: String(row.mime),
    charset: String(row.charset),
    fetchedAt: String(row.fetch_time),
    digest: String(row.digest),
    warc: String(row.warc),
    offset: Number(row.warc_offset),
    length: Number(row.warc_length),
  }
}
