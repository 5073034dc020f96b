/** Meta-info of the previous crawl (D6). */
import { type CellId, type MetaInfo, siteOfCell } from '../../model/index.js'
import type { MetaFacts } from '../index.js'
import { joinedBytes, textArray } from './postgres-connection.js'
import type { Transaction } from './postgres-database.js'

/** If there are several rows for one page, the last one is saved. */
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
  const { bytes, starts, lengths } = joinedBytes(rows.map(({ facts }) => facts))
  await tx.run(
    `UPDATE meta_info SET facts = substring($1::bytea FROM f.start FOR f.length)
     FROM unnest($2::text[], $3::text[], $4::text[], $5::int[], $6::int[]) AS f (cell, url, digest, start, length)
     WHERE meta_info.cell = f.cell AND meta_info.url = f.url AND meta_info.digest = f.digest`,
    bytes,
    textArray(rows.map(({ cell }) => siteOfCell(cell))),
    textArray(rows.map(({ url }) => url)),
    textArray(rows.map(({ digest }) => digest)),
    starts,
    lengths,
  )
}
