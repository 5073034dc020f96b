/**
 * What is known of sites beside their queues: robots state of their origins, and meta-info of the previous
 * crawl (D6).
 */

import { type CellId, type MetaInfo, siteOfCell } from '../../model/index.js'
import {
  type MetaFacts,
  metaInfo,
  type OriginState,
  originState,
  type RefusedOrigins,
  refusedOrigin,
} from '../index.js'
import type { SqliteDatabase } from './sqlite-database.js'

export class SqliteSiteFacts {
  readonly #db: SqliteDatabase

  constructor(db: SqliteDatabase) {
    this.#db = db
  }

  loadOrigins(cell: CellId): OriginState[] {
    return this.#db
      .all(
        'SELECT origin, checked_at, failures, verdict, status, detail, body FROM origin WHERE cell = ?',
        siteOfCell(cell),
      )
      .map(originState)
  }

  saveOrigin(cell: CellId, state: OriginState): void {
    this.#db.run(
      'INSERT OR REPLACE INTO origin VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
      siteOfCell(cell),
      state.origin,
      state.checkedAt,
      state.failures,
      state.verdict,
      state.status,
      state.detail,
      state.body,
    )
  }

  refusedOrigins(limit: number): RefusedOrigins {
    const refused = `FROM origin WHERE verdict = 'unavailable'`
    const [total] = this.#db.first(`SELECT count(*) ${refused}`)!
    const rows = this.#db.all(
      `SELECT origin, checked_at, failures, status, detail ${refused} ORDER BY origin LIMIT ?`,
      limit,
    )
    return { total: Number(total), first: rows.map(refusedOrigin) }
  }

  saveMeta(rows: readonly { cell: CellId; url: string; meta: MetaInfo }[]): void {
    for (const { cell, url, meta } of rows) {
      this.#db.run(
        `INSERT OR REPLACE INTO meta_info (cell, url, etag, last_modified, digest, stored_at, links)
         VALUES (?, ?, ?, ?, ?, ?, ?)`,
        siteOfCell(cell),
        url,
        meta.etag,
        meta.lastModified,
        meta.digest,
        meta.storedAt,
        meta.links.join('\n'),
      )
    }
  }

  saveFacts(rows: readonly MetaFacts[]): void {
    for (const { cell, url, digest, facts } of rows)
      this.#db.run(
        'UPDATE meta_info SET facts = ? WHERE cell = ? AND url = ? AND digest = ?',
        facts,
        siteOfCell(cell),
        url,
        digest,
      )
  }

  loadMeta(cell: CellId, urls: readonly string[]): Map<string, MetaInfo> {
    const rows = this.#db.all(
      `SELECT url, etag, last_modified, digest, stored_at, links, facts FROM meta_info
       WHERE cell = ? AND url IN (SELECT value FROM json_each(?))`,
      siteOfCell(cell),
      JSON.stringify(urls),
    )
    return new Map(rows.map(metaInfo))
  }
}
