/** Everything a recrawl needs of the crawl before it, as a stream: memory does not grow with the crawl. */
import type { OutcomeCode } from '../../model/index.js'
import { warcDate } from '../store/bytes/index.js'
import type { PageFacts } from '../store/tables/index.js'
import { openTables, type Result, type Tables } from './tables.js'
import type { Value } from './values.js'

export interface PreviousPage {
  readonly url: string
  readonly depth: number
  readonly outcome: OutcomeCode
  readonly etag: string
  readonly lastModified: string
  readonly digest: string
  /** As the server said. */
  readonly mime: string
  /** WARC-Date of the record that holds the body; empty where no archive has it. */
  readonly storedAt: string
  /** True if a 304 or an equal digest tells that the row still describes the page. */
  readonly isWhole: boolean
  /** The rows of `links` that stood on the page, each `target kind`: a URL has no space. */
  readonly links: readonly string[]
}

/** A page that the server may say has not changed, with what its row said of it. */
export interface UnchangedPage {
  readonly url: string
  readonly digest: string
  readonly facts: PageFacts
}

/** DuckDB's share: a recrawl starts inside the process that crawls, which has its own memory to keep to. */
const MEMORY_BYTES = 256 * 1024 * 1024

/**
 * Rows sorted at once. DuckDB sorts more than its memory holds, but not any number: more rows are taken in
 * parts.
 */
interface PartSize {
  readonly pages: number
  readonly links: number
}

const PART: PartSize = { pages: 250_000, links: 1_000_000 }

/** Every URL that left the queue of the crawl in `dir`, once, with the links of its page. */
export async function* previousPages(dir: string, part = PART): AsyncGenerator<PreviousPage> {
  const tables = await openTables(dir, { memoryBytes: MEMORY_BYTES, threads: 1 })
  try {
    const parts = await countParts(tables, part)
    for (let i = 0; i < parts; i++) yield* mergeByUrl(tables, `hash(url) % ${parts} = ${i}`)
  } finally {
    await tables.close()
  }
}

/**
 * A page that came as a whole, or had not changed since it did. Errors, redirects and parts of a page are
 * asked anew.
 */
const WHOLE = `(content_digest IS NOT NULL AND content_truncated IS NULL
  AND (outcome = 'NOT_MODIFIED' OR outcome = 'OK' AND fetch_status = 200))`

/**
 * Whole pages that have a validator, in no order, and perhaps more than once: text is too much to be sorted.
 */
const WITH_VALIDATOR = `SELECT url, content_digest, content_mime_type, content_mime_detected, content_charset,
    content_languages, title, description, canonical, outlinks, outlinks_foreign, text FROM pages
  WHERE ${WHOLE} AND (etag <> '' OR last_modified <> '')`

export async function* previousFacts(dir: string): AsyncGenerator<UnchangedPage> {
  const tables = await openTables(dir, { memoryBytes: MEMORY_BYTES, threads: 1 })
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

async function countParts(tables: Tables, part: PartSize): Promise<number> {
  const counts = 'SELECT (SELECT count(*) FROM pages) AS pages, (SELECT count(*) FROM links) AS links'
  let parts = 1
  for await (const { pages, links } of tables.query(counts))
    parts = Math.ceil(Math.max(1, Number(pages) / part.pages, Number(links) / part.links))
  return parts
}

/** Both tables are sorted by URL one after the other, then read side by side. */
async function* mergeByUrl(tables: Tables, condition: string): AsyncGenerator<PreviousPage> {
  await tables.keep(
    'part_links',
    `SELECT url, target || ' ' || kind FROM links WHERE ${condition} ORDER BY url`,
  )
  // Of several rows of one URL the one with a stored copy counts, then the latest.
  await tables.keep(
    'part_pages',
    `SELECT url, depth, outcome, etag, last_modified, content_digest, ${WHOLE} AS whole, fetch_time,
      warc_filename IS NOT NULL AS archived, warc_refers_to_date, content_mime_type FROM pages
      WHERE ${condition} ORDER BY url, content_digest IS NULL, fetch_time DESC`,
  )
  const links = new LinkCursor(await tables.run('FROM part_links'))
  const pages = await tables.run('FROM part_pages')
  let last = ''
  try {
    for await (const rows of pages.batches()) {
      for (const row of rows) {
        const url = String(row[0])
        if (url === last) continue
        last = url
        yield pageOf(url, row, await links.of(url))
      }
    }
  } finally {
    await links.close()
  }
}

function pageOf(url: string, row: readonly Value[], links: readonly string[]): PreviousPage {
  const [, depth, outcome, etag, lastModified, digest, isWhole, fetchTime, isArchived, refersTo, mime] = row
  return {
    url,
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

/** Steps through link rows ordered by URL. */
class LinkCursor {
  readonly #batches: AsyncGenerator<Iterable<readonly Value[]>>
  #rows: Iterator<readonly Value[]> = [].values()
  #next: readonly Value[] | undefined
  #isOver = false

  constructor(links: Result) {
    this.#batches = links.batches()
  }

  /** Links of `url`; URLs must be asked for in order. */
  async of(url: string): Promise<string[]> {
    const links: string[] = []
    for (;;) {
      this.#next ??= this.#rows.next().value
      if (this.#next === undefined) {
        if (this.#isOver) return links
        await this.#nextBatch()
        continue
      }
      // URLs are ASCII, so JavaScript orders them as DuckDB does.
      const source = String(this.#next[0])
      if (source > url) return links
      if (source === url) links.push(String(this.#next[1]))
      this.#next = undefined
    }
  }

  async close(): Promise<void> {
    await this.#batches.return(undefined)
  }

  async #nextBatch(): Promise<void> {
    const step = await this.#batches.next()
    this.#isOver = step.done === true
    if (!step.done) this.#rows = step.value[Symbol.iterator]()
  }
}
