/**
 * Which URL is written where. It lives in a scratch file of SQLite, so that memory does not grow with the crawl; a
 * look-up takes a few microseconds, and a page needs one per link.
 */
import Database from 'libsql'
import { LIMITS } from '../../model/limits.js'
import { distinctPath, pathKey } from './file-names.js'

/** Where a record lies in the archive. */
export interface RecordPlace {
  readonly warc: string
  readonly offset: number
  readonly length: number
}

export interface BookedPage extends RecordPlace {
  readonly url: string
  readonly title: string
  /** Payload digest, by which a revisit finds what it refers to. */
  readonly digest: string
}

export interface WrittenPage {
  readonly url: string
  readonly path: string
  readonly title: string
}

const COMMIT_ROWS = 10_000

export class NameBook {
  readonly #db: Database.Database
  readonly #insert: Database.Statement
  readonly #pathTaken: Database.Statement
  readonly #find: Database.Statement
  #uncommitted = 0

  /** `file` is a scratch file of ours. */
  constructor(file: string) {
    this.#db = new Database(file)
    this.#db.pragma('journal_mode = MEMORY')
    this.#db.pragma('synchronous = OFF')
    this.#db.pragma('cache_size = -32000')
    this.#db.exec(`
      CREATE TABLE page (url TEXT PRIMARY KEY, path TEXT NOT NULL, path_key TEXT NOT NULL UNIQUE, title TEXT NOT NULL,
        digest TEXT NOT NULL, warc TEXT NOT NULL, offset INTEGER NOT NULL, length INTEGER NOT NULL,
        written INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID;
      CREATE INDEX page_by_digest ON page (digest);
      CREATE TABLE redirect (url TEXT PRIMARY KEY, target TEXT NOT NULL) WITHOUT ROWID;
    `)
    this.#insert = this.#db.prepare('INSERT OR IGNORE INTO page VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0)')
    this.#pathTaken = this.#db.prepare('SELECT 1 FROM page WHERE path_key = ?').raw()
    this.#find = this.#db.prepare('SELECT path FROM page WHERE url = ?').raw()
  }

  /** Gives the page a path of its own, `path` where that is free. A URL that is booked already keeps its first. */
  book(page: BookedPage, path: string): void {
    this.#begin()
    const free = this.#pathTaken.get(pathKey(path)) ? distinctPath(path, page.url) : path
    this.#insert.run(
      page.url,
      free,
      pathKey(free),
      page.title,
      page.digest,
      page.warc,
      page.offset,
      page.length,
    )
  }

  bookRedirect(url: string, target: string): void {
    this.#begin()
    this.#db.prepare('INSERT OR IGNORE INTO redirect VALUES (?, ?)').run(url, target)
  }

  /** The path of a URL, redirects followed; null when it is not part of the export. */
  pathOf(url: string): string | null {
    let at = url
    for (let hops = 0; hops <= LIMITS.redirectHops; hops++) {
      const [path] = (this.#find.get(at) ?? []) as string[]
      if (path !== undefined) return path
      const [target] = (this.#redirectOf(at) ?? []) as string[]
      if (target === undefined) return null
      at = target
    }
    return null
  }

  /** Other records with this payload, for a revisit: any of them that is a response will do. */
  placesOf(digest: string, except: string): RecordPlace[] {
    if (digest === '') return []
    return this.#db
      .prepare('SELECT warc, offset, length FROM page WHERE digest = ? AND url <> ? LIMIT 10')
      .all(digest, except) as RecordPlace[]
  }

  markWritten(url: string): void {
    this.#begin()
    this.#db.prepare('UPDATE page SET written = 1 WHERE url = ?').run(url)
  }

  /** What was written, by host and path, in portions. */
  *written(): Generator<WrittenPage> {
    let after = ''
    for (;;) {
      const rows = this.#db
        .prepare(
          'SELECT url, path, title FROM page WHERE written = 1 AND path_key > ? ORDER BY path_key LIMIT 1000',
        )
        .all(after) as WrittenPage[]
      if (rows.length === 0) return
      yield* rows
      after = pathKey(rows[rows.length - 1].path)
    }
  }

  close(): void {
    if (this.#db.inTransaction) this.#db.exec('COMMIT')
    this.#db.close()
  }

  #redirectOf(url: string): unknown {
    return this.#db.prepare('SELECT target FROM redirect WHERE url = ?').raw().get(url)
  }

  /** Many writes a transaction: one each would take most of the time. */
  #begin(): void {
    if (!this.#db.inTransaction) this.#db.exec('BEGIN')
    else if (++this.#uncommitted % COMMIT_ROWS === 0) this.#db.exec('COMMIT; BEGIN')
  }
}
