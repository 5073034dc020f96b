/** Everything a recrawl needs of the crawl before it, as a stream: memory does not grow with the crawl. */
import type { OutcomeCode } from '../model/outcome.js'
import { openTables, type Result, type Tables } from './tables.js'
import type { Value } from './values.js'

export interface PreviousPage {
  readonly url: string
  readonly depth: number
  readonly outcome: OutcomeCode
  readonly etag: string
  readonly lastModified: string
  readonly digest: string
  /** WARC-Date of the stored copy. */
  readonly storedAt: string
  /** Targets of the rows of `links` that stood on the page. */
  readonly links: readonly string[]
}

/** DuckDB's share: a recrawl starts inside the process that crawls, which has its own 300 MB to keep to. */
const MEMORY_BYTES = 192 * 1024 * 1024

// Of several rows of one URL the one with a stored copy counts, then the latest.
const PAGES = `SELECT url, depth, outcome, etag, last_modified, content_digest, fetch_time FROM pages
  ORDER BY url, content_digest IS NULL, fetch_time DESC`
const LINKS = 'SELECT url, target FROM links ORDER BY url'

/** Every URL that left the queue of the crawl in `dir`, once, with the links of its page, ordered by URL. */
export async function* previousPages(dir: string): AsyncGenerator<PreviousPage> {
  const tables = await openTables(dir, { memoryBytes: MEMORY_BYTES, threads: 1 })
  try {
    yield* mergeByUrl(tables)
  } finally {
    await tables.close()
  }
}

/** Both tables sorted by URL (DuckDB sorts on disk where memory is short), read side by side. */
async function* mergeByUrl(tables: Tables): AsyncGenerator<PreviousPage> {
  const links = new LinkCursor(rowsOf(await tables.run(LINKS)))
  let last = ''
  try {
    for await (const row of rowsOf(await tables.run(PAGES))) {
      const url = String(row[0])
      if (url === last) continue
      last = url
      yield pageOf(url, row, await links.of(url))
    }
  } finally {
    await links.close()
  }
}

function pageOf(url: string, row: readonly Value[], links: readonly string[]): PreviousPage {
  const [, depth, outcome, etag, lastModified, digest, storedAt] = row
  return {
    url,
    depth: Number(depth),
    outcome: String(outcome) as OutcomeCode,
    etag: String(etag ?? ''),
    lastModified: String(lastModified ?? ''),
    digest: String(digest ?? ''),
    storedAt: String(storedAt ?? ''),
    links,
  }
}

/** Steps through link rows ordered by URL. */
class LinkCursor {
  readonly #rows: AsyncGenerator<readonly Value[]>
  #next: readonly Value[] | undefined
  #started = false

  constructor(rows: AsyncGenerator<readonly Value[]>) {
    this.#rows = rows
  }

  /** Targets of `url`; URLs must be asked for in order. */
  async of(url: string): Promise<string[]> {
    if (!this.#started) {
      this.#started = true
      await this.#advance()
    }
    const targets: string[] = []
    // URLs are ASCII, so JavaScript orders them as DuckDB does.
    while (this.#next !== undefined && String(this.#next[0]) <= url) {
      if (this.#next[0] === url) targets.push(String(this.#next[1]))
      await this.#advance()
    }
    return targets
  }

  async close(): Promise<void> {
    await this.#rows.return(undefined)
  }

  async #advance(): Promise<void> {
    const step = await this.#rows.next()
    this.#next = step.done ? undefined : step.value
  }
}

async function* rowsOf(result: Result): AsyncGenerator<readonly Value[]> {
  for await (const rows of result.batches()) yield* rows
}
