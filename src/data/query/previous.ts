/**
 * Reads what a recrawl needs of the previous crawl as a stream, so that memory does not grow with the crawl.
 */

import type { OutcomeCode } from '../../model/index.js'
import { PREVIOUS_MEMORY_BYTES, PREVIOUS_PART_ROWS } from '../limits.js'
import { warcDate } from '../store/bytes/index.js'
import type { PageFacts } from '../store/tables/index.js'
import { openTables, type Tables } from './tables.js'
import type { Value } from './values.js'

export interface PreviousPage {
  readonly url: string
  readonly depth: number
  readonly outcome: OutcomeCode
  readonly etag: string
  readonly lastModified: string
  readonly digest: string
  /** The Content-Type that the server sent. */
  readonly mime: string
  /** WARC-Date of the record with the body; empty if no archive has it. */
  readonly storedAt: string
  /** True if after a 304 or an equal digest the row still describes the page. */
  readonly isWhole: boolean
  /** The links of the page, each as `target kind`; a URL contains no space. */
  readonly links: readonly string[]
}

/** A page that the server may report as not modified, with the facts of its row. */
export interface UnchangedPage {
  readonly url: string
  readonly digest: string
  readonly facts: PageFacts
}

/** Every URL that left the queue of the crawl in `dir`, once, with the links of its page. */
export async function* previousPages(
  dir: string,
  partRows = PREVIOUS_PART_ROWS,
): AsyncGenerator<PreviousPage> {
  const tables = await openTables(dir, { memoryBytes: PREVIOUS_MEMORY_BYTES, threads: 1 })
  try {
    let parts = 1
    for await (const { rows } of tables.query(ROWS)) parts = Math.ceil(Math.max(1, Number(rows)) / partRows)
    for (let i = 0; i < parts; i++) yield* mergeByUrl(tables, `hash(url) % ${parts} = ${i}`)
  } finally {
    await tables.close()
  }
}

/** A complete page, fetched or not modified. Errors, redirects and truncated pages are fetched again. */
const WHOLE = `(content_digest IS NOT NULL AND content_truncated IS NULL
  AND (outcome = 'NOT_MODIFIED' OR outcome = 'OK' AND fetch_status = 200))`

/**
 * Complete pages that have a validator, unsorted and possibly repeated: their texts are too large to sort.
 */
const WITH_VALIDATOR = `SELECT url, content_digest, content_mime_type, content_mime_detected, content_charset,
    content_languages, title, description, canonical, outlinks, outlinks_foreign, text FROM pages
  WHERE ${WHOLE} AND (etag <> '' OR last_modified <> '')`

export async function* previousFacts(dir: string): AsyncGenerator<UnchangedPage> {
  const tables = await openTables(dir, { memoryBytes: PREVIOUS_MEMORY_BYTES, threads: 1 })
  try {
    const pages = await tables.run(WITH_VALIDATOR)
    for await (const rows of pages.batches()) for (const row of rows) yield unchangedPageOf(row)
  } finally {
    await tables.close()
  }
}

function unchangedPageOf(row: readonly Value[]): UnchangedPage {
  const text = (column: number) => String(row[column] ?? '')
  return {
    url: text(0),
    digest: text(1),
    facts: {
      mime: text(2),
      mimeDetected: text(3),
      charset: text(4),
      languages: text(5),
      title: text(6),
      description: text(7),
      canonical: text(8),
      outlinks: Number(row[9] ?? 0),
      outlinksForeign: Number(row[10] ?? 0),
      text: Buffer.from(text(11)),
    },
  }
}

const ROWS = 'SELECT (SELECT count(*) FROM pages) + (SELECT count(*) FROM links) AS rows'

/** Sorts rows of pages and links together, so that the links of a page follow its row. */
async function* mergeByUrl(tables: Tables, condition: string): AsyncGenerator<PreviousPage> {
  // If a URL has several rows, a row with a stored copy is preferred, then the latest row.
  const { batches } = await tables.run(`
    FROM (
      SELECT url, depth, outcome, etag, last_modified, content_digest, ${WHOLE} AS whole, fetch_time,
        warc_filename IS NOT NULL AS archived, warc_refers_to_date, content_mime_type, NULL AS link
      FROM pages WHERE ${condition}
      UNION ALL BY NAME SELECT url, concat(target, ' ', kind) AS link FROM links WHERE ${condition})
    ORDER BY url, link IS NOT NULL, content_digest IS NULL, fetch_time DESC`)
  let page: readonly Value[] | null = null
  let links: string[] = []
  for await (const rows of batches()) {
    for (const row of rows) {
      const isSame = page !== null && row[URL_COLUMN] === page[URL_COLUMN]
      if (row[LINK_COLUMN] !== null) {
        if (isSame) links.push(String(row[LINK_COLUMN]))
      } else if (!isSame) {
        if (page !== null) yield pageOf(page, links)
        page = row
        links = []
      }
    }
  }
  if (page !== null) yield pageOf(page, links)
}

/** Indexes of columns in the rows of `mergeByUrl`. */
const URL_COLUMN = 0
const LINK_COLUMN = 11

function pageOf(row: readonly Value[], links: readonly string[]): PreviousPage {
  const [url, depth, outcome, etag, lastModified, digest, isWhole, fetchTime, isArchived, refersTo, mime] =
    row
  return {
    url: String(url),
    depth: Number(depth),
    outcome: String(outcome) as OutcomeCode,
    etag: String(etag ?? ''),
    lastModified: String(lastModified ?? ''),
    digest: String(digest ?? ''),
    mime: String(mime ?? ''),
    storedAt: String(refersTo ?? (isArchived ? warcDate(Date.parse(String(fetchTime))) : '')),
    isWhole: isWhole === true,
    links,
  }
}
