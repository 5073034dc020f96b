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
import { textArray } from './postgres-connection.js'
import type { PostgresDatabase, Transaction } from './postgres-database.js'

export async function loadOrigins(db: PostgresDatabase, cell: CellId): Promise<OriginState[]> {
  const rows = await db.all(
    'SELECT origin, checked_at, failures, verdict, status, detail, body FROM origin WHERE cell = $1',
    siteOfCell(cell),
  )
  return rows.map(originState)
}

export async function saveOrigin(tx: Transaction, cell: CellId, state: OriginState): Promise<void> {
  await tx.run(
    `INSERT INTO origin (cell, origin, checked_at, failures, verdict, status, detail, body)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (cell, origin) DO UPDATE SET
       checked_at = excluded.checked_at, failures = excluded.failures, verdict = excluded.verdict,
       status = excluded.status, detail = excluded.detail, body = excluded.body`,
    siteOfCell(cell),
    state.origin,
    Math.round(state.checkedAt),
    state.failures,
    state.verdict,
    state.status,
    state.detail,
    state.body,
  )
}

export async function refusedOrigins(db: PostgresDatabase, limit: number): Promise<RefusedOrigins> {
  const rows = await db.all(
    `SELECT origin, checked_at, failures, status, detail, count(*) OVER () FROM origin
     WHERE verdict = 'unavailable' ORDER BY origin LIMIT $1`,
    limit,
  )
  return { total: rows.length === 0 ? 0 : Number(rows[0][5]), first: rows.map(refusedOrigin) }
}

/** A page that is named twice is as it was named last. */
export async function saveMeta(
  tx: Transaction,
  rows: readonly { readonly cell: CellId; readonly url: string; readonly meta: MetaInfo }[],
): Promise<void> {
  if (rows.length === 0) return
  const latest = [...new Map(rows.map(row => [`${siteOfCell(row.cell)} ${row.url}`, row])).values()]
  const texts = (of: (meta: MetaInfo) => string) => textArray(latest.map(({ meta }) => of(meta)))
  await tx.run(
    `INSERT INTO meta_info (cell, url, etag, last_modified, digest, stored_at, links)
     SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[])
     ON CONFLICT (cell, url) DO UPDATE SET etag = excluded.etag, last_modified = excluded.last_modified,
       digest = excluded.digest, stored_at = excluded.stored_at, links = excluded.links, facts = NULL`,
    textArray(latest.map(({ cell }) => siteOfCell(cell))),
    textArray(latest.map(({ url }) => url)),
    texts(meta => meta.etag),
    texts(meta => meta.lastModified),
    texts(meta => meta.digest),
    texts(meta => meta.storedAt),
    texts(meta => meta.links.join('\n')),
  )
}

export async function saveFacts(tx: Transaction, rows: readonly MetaFacts[]): Promise<void> {
  let end = 1
  const starts = rows.map(({ facts }) => {
    const start = end
    end += facts.length
    return start
  })
  await tx.run(
    `UPDATE meta_info SET facts = substring($1::bytea FROM f.start FOR f.length)
     FROM unnest($2::text[], $3::text[], $4::text[], $5::int[], $6::int[]) AS f (cell, url, digest, start, length)
     WHERE meta_info.cell = f.cell AND meta_info.url = f.url AND meta_info.digest = f.digest`,
    Buffer.concat(rows.map(({ facts }) => facts)),
    textArray(rows.map(({ cell }) => siteOfCell(cell))),
    textArray(rows.map(({ url }) => url)),
    textArray(rows.map(({ digest }) => digest)),
    starts,
    rows.map(({ facts }) => facts.length),
  )
}

export async function loadMeta(
  db: PostgresDatabase,
  cell: CellId,
  urls: readonly string[],
): Promise<Map<string, MetaInfo>> {
  const rows = await db.all(
    `SELECT url, etag, last_modified, digest, stored_at, links, facts FROM meta_info
     WHERE cell = $1 AND url = ANY($2::text[])`,
    siteOfCell(cell),
    textArray(urls),
  )
  return new Map(rows.map(metaInfo))
}
