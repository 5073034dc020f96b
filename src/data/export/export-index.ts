/**
 * Which pages are exported, from which record, to which path. The index is an SQLite file in a scratch
 * folder, so that memory does not grow with the crawl; each link of a page needs a look-up of a few
 * microseconds.
 */

import Database from 'libsql'
import { LIMITS } from '../../model/index.js'
import { EXPORT_COMMIT_ROWS, EXPORT_PORTION_ROWS } from '../limits.js'
import { distinctPath, pathKey } from './file-names.js'

/** The place of a WARC record. */
export interface RecordPlace {
  /** Whose archive: 0 is the crawl that is exported, 1 the one before it, and so on. */
  readonly archive: number
  /** Empty where no record with the body is known. */
  readonly warc: string
  readonly offset: number
  readonly length: number
}

export interface ExportedPage extends RecordPlace {
  readonly url: string
  readonly title: string
  readonly mime: string
  readonly charset: string
  /** ISO 8601. */
  readonly fetchedAt: string
  /** Payload digest, by which a revisit finds what it refers to. */
  readonly digest: string
}

export interface IndexedPage extends ExportedPage {
  readonly path: string
}

export interface WrittenPage {
  readonly url: string
  readonly path: string
  readonly title: string
}

const SCHEMA = `
  CREATE TABLE page (url TEXT PRIMARY KEY, path TEXT NOT NULL, path_key TEXT NOT NULL UNIQUE, title TEXT NOT NULL,
    mime TEXT NOT NULL, charset TEXT NOT NULL, fetched_at TEXT NOT NULL, digest TEXT NOT NULL, archive INTEGER NOT NULL,
    warc TEXT NOT NULL, offset INTEGER NOT NULL, length INTEGER NOT NULL, written INTEGER NOT NULL) WITHOUT ROWID;
  CREATE INDEX page_by_digest ON page (digest);
  CREATE INDEX page_by_place ON page (archive, warc, offset, url);
  CREATE TABLE redirect (url TEXT PRIMARY KEY, target TEXT NOT NULL) WITHOUT ROWID;
`
const COLUMNS =
  'url, path, title, mime, charset, fetched_at AS fetchedAt, digest, archive, warc, offset, length'

export class ExportIndex {
  readonly #db: Database.Database
  readonly #statements = new Map<string, Database.Statement>()
  #writes = 0

  /** `file` is the path of a scratch file. */
  constructor(file: string) {
    this.#db = new Database(file)
    for (const setting of ['journal_mode = MEMORY', 'synchronous = OFF', 'cache_size = -32000'])
      this.#db.pragma(setting)
    this.#db.exec(SCHEMA)
  }

  /**
   * Adds a page under `path`, or under a distinct path where that is taken. A URL that is known keeps its
   * first.
   */
  add(page: ExportedPage, path: string): void {
    const isTaken = this.#prepare('SELECT 1 FROM page WHERE path_key = ?').get(pathKey(path)) !== undefined
    const own = isTaken ? distinctPath(path, page.url) : path
    const { url, title, mime, charset, fetchedAt, digest, archive, warc, offset, length } = page
    const facts = [url, own, pathKey(own), title, mime, charset, fetchedAt, digest]
    this.#write(
      'INSERT OR IGNORE INTO page VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0)',
      ...[...facts, archive, warc, offset, length],
    )
  }

  /** Pages whose body has not been found in any archive. */
  unplaced(): number {
    const sql = "SELECT count(*) AS pages FROM page WHERE warc = ''"
    return (this.#prepare(sql).get() as { pages: number }).pages
  }

  /** Gives pages without a record the record of another page with the same payload. */
  placeByPayload(): void {
    this.#write(`UPDATE page SET (archive, warc, offset, length) =
      (SELECT archive, warc, offset, length FROM page other WHERE other.digest = page.digest AND other.warc <> '')
      WHERE warc = '' AND digest <> ''
        AND EXISTS (SELECT 1 FROM page other WHERE other.digest = page.digest AND other.warc <> '')`)
  }

  /** Sets the record of a page that has none yet. */
  place(url: string, digest: string, { archive, warc, offset, length }: RecordPlace): void {
    const sql = `UPDATE page SET archive = ?, warc = ?, offset = ?, length = ?
      WHERE url = ? AND digest = ? AND warc = ''`
    this.#write(sql, archive, warc, offset, length, url, digest)
  }

  removeUnplaced(): void {
    this.#write("DELETE FROM page WHERE warc = ''")
  }

  remove(url: string): void {
    this.#write('DELETE FROM page WHERE url = ?', url)
  }

  addRedirect(url: string, target: string): void {
    this.#write('INSERT OR IGNORE INTO redirect VALUES (?, ?)', url, target)
  }

  /** The path of a URL, redirects followed; null when it is not part of the export. */
  pathOf(url: string): string | null {
    let at = url
    for (let hops = 0; hops <= LIMITS.redirectHops; hops++) {
      const page = this.#prepare('SELECT path FROM page WHERE url = ?').get(at) as
        | { path: string }
        | undefined
      if (page) return page.path
      const redirect = this.#prepare('SELECT target FROM redirect WHERE url = ?').get(at) as
        | { target: string }
        | undefined
      if (!redirect) return null
      at = redirect.target
    }
    return null
  }

  /** Other records with this payload, for a revisit: any of them that is a response will do. */
  placesOf(digest: string, except: string): readonly RecordPlace[] {
    if (digest === '') return []
    const sql = 'SELECT archive, warc, offset, length FROM page WHERE digest = ? AND url <> ? LIMIT 10'
    return this.#prepare(sql).all(digest, except) as RecordPlace[]
  }

  /** All pages, in the order of their records in the archives. */
  *pages(): Generator<IndexedPage> {
    const sql = `SELECT ${COLUMNS} FROM page WHERE (archive, warc, offset, url) > (?, ?, ?, ?)
      ORDER BY archive, warc, offset, url LIMIT ${EXPORT_PORTION_ROWS}`
    let last: readonly [number, string, number, string] = [0, '', -1, '']
    for (;;) {
      const rows = this.#prepare(sql).all(...last) as IndexedPage[]
      if (rows.length === 0) return
      yield* rows
      const { archive, warc, offset, url } = rows[rows.length - 1]
      last = [archive, warc, offset, url]
    }
  }

  markWritten(url: string): void {
    this.#write('UPDATE page SET written = 1 WHERE url = ?', url)
  }

  /** What was written, by path. */
  *written(): Generator<WrittenPage> {
    const sql = `SELECT url, path, title FROM page WHERE written = 1 AND path_key > ?
      ORDER BY path_key LIMIT ${EXPORT_PORTION_ROWS}`
    let last = ''
    for (;;) {
      const rows = this.#prepare(sql).all(last) as WrittenPage[]
      if (rows.length === 0) return
      yield* rows
      last = pathKey(rows[rows.length - 1].path)
    }
  }

  close(): void {
    this.#statements.clear()
    this.#db.close()
  }

  /** Many writes share a transaction: a transaction for each would take most of the time. */
  #write(sql: string, ...values: readonly (string | number)[]): void {
    if (this.#writes++ % EXPORT_COMMIT_ROWS === 0) {
      if (this.#db.inTransaction) this.#db.exec('COMMIT')
      this.#db.exec('BEGIN')
    }
    this.#prepare(sql).run(...values)
  }

  #prepare(sql: string): Database.Statement {
    let statement = this.#statements.get(sql)
    if (!statement) {
      statement = this.#db.prepare(sql)
      this.#statements.set(sql, statement)
    }
    return statement
  }
}
