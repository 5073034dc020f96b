/** The robots state of a site's origins and the meta-info of the previous crawl (D6). */
import { type CellId, type MetaInfo, siteOfCell } from '../../model/index.js'
import type { OriginState, RefusedOrigins } from '../index.js'
import type { Engine } from './engine.js'
import type { Row, Steps } from './sql-steps.js'

export function* loadOrigins(cell: CellId): Steps<OriginState[]> {
  const rows = yield [
    'SELECT origin, checked_at, failures, status, detail, verdict, body FROM origin WHERE cell = $1',
    siteOfCell(cell),
  ]
  return rows.map(row => ({
    ...refusedOrigin(row),
    verdict: String(row[5]) as OriginState['verdict'],
    body: row[6] as Buffer,
  }))
}

export function* saveOrigin(_engine: Engine, cell: CellId, state: OriginState): Steps<void> {
  yield [
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
  ]
}

export function* refusedOrigins(limit: number): Steps<RefusedOrigins> {
  const refused = `FROM origin WHERE verdict = 'unavailable'`
  const [[total]] = yield [`SELECT count(*) ${refused}`]
  const rows = yield [
    `SELECT origin, checked_at, failures, status, detail ${refused} ORDER BY origin LIMIT $1`,
    limit,
  ]
  return { total: Number(total), first: rows.map(refusedOrigin) }
}

function refusedOrigin([origin, checkedAt, failures, status, detail]: Row): RefusedOrigins['first'][number] {
  return {
    origin: String(origin),
    checkedAt: Number(checkedAt),
    failures: Number(failures),
    status: Number(status),
    detail: String(detail),
  }
}

/** Of several rows for one page, the last is saved. Facts belong to the previous payload, so they go. */
export function* saveMeta(
  _engine: Engine,
  rows: readonly { readonly cell: CellId; readonly url: string; readonly meta: MetaInfo }[],
): Steps<void> {
  if (rows.length === 0) return
  const latest = new Map(
    rows.map(({ cell, url, meta: { etag, lastModified, digest, storedAt, links } }) => {
      const site = siteOfCell(cell)
      const row = { cell: site, url, etag, modified: lastModified, digest, stored: storedAt }
      return [`${site} ${url}`, { ...row, links: links.join('\n') }]
    }),
  )
  yield [
    `INSERT INTO meta_info (cell, url, etag, last_modified, digest, stored_at, links)
     SELECT m.* FROM json_to_recordset($1::json) AS m (cell text, url text, etag text, modified text,
       digest text, stored text, links text) WHERE true
     ON CONFLICT (cell, url) DO UPDATE SET etag = excluded.etag, last_modified = excluded.last_modified,
       digest = excluded.digest, stored_at = excluded.stored_at, links = excluded.links, facts = NULL`,
    JSON.stringify([...latest.values()]),
  ]
}

export function* loadMeta(cell: CellId, urls: readonly string[]): Steps<Map<string, MetaInfo>> {
  const rows = yield [
    `SELECT url, etag, last_modified, digest, stored_at, links, facts FROM meta_info
     WHERE cell = $1 AND url = ANY($2::text[])`,
    siteOfCell(cell),
    urls,
  ]
  return new Map(
    rows.map(([url, etag, lastModified, digest, storedAt, links, facts]) => [
      String(url),
      {
        etag: String(etag),
        lastModified: String(lastModified),
        digest: String(digest),
        storedAt: String(storedAt),
        links: links === '' ? [] : String(links).split('\n'),
        ...(facts === null ? {} : { facts: facts as Buffer }),
      },
    ]),
  )
}
