/** The `sites` table: what was done at each site, written when the crawl stops or ends. */

import { DurableFile, type Output } from '../../../../files/index.js'
import type { Millis } from '../../../../model/index.js'
import { Column, type ColumnSpec } from './column.js'
import type { WrittenParquet } from './convert.js'
import { ParquetFile } from './parquet-file.js'

export interface SiteRow {
  readonly site: string
  /** URLs that left the queue; `fetched`, `failed` and `refused` are its parts. */
  readonly pages: number
  readonly fetched: number
  readonly failed: number
  readonly refused: number
  /** Parts of `fetched`. */
  readonly redirects: number
  readonly notModified: number
  readonly clientErrors: number
  readonly serverErrors: number
  readonly bytes: number
  readonly fetchMsTotal: number
  /** 0 where nothing was fetched. */
  readonly firstFetch: Millis
  readonly lastFetch: Millis
}

type SiteNumber = Exclude<keyof SiteRow, 'site'>

const NUMBERS: readonly (readonly [SiteNumber, ColumnSpec])[] = [
  ['pages', { name: 'pages', kind: 'int64', required: true }],
  ['fetched', { name: 'fetched', kind: 'int64', required: true }],
  ['failed', { name: 'failed', kind: 'int64', required: true }],
  ['refused', { name: 'refused', kind: 'int64', required: true }],
  ['redirects', { name: 'redirects', kind: 'int64', required: true }],
  ['notModified', { name: 'not_modified', kind: 'int64', required: true }],
  ['clientErrors', { name: 'client_errors', kind: 'int64', required: true }],
  ['serverErrors', { name: 'server_errors', kind: 'int64', required: true }],
  ['bytes', { name: 'bytes', kind: 'int64', required: true }],
  ['fetchMsTotal', { name: 'fetch_ms_total', kind: 'int64', required: true }],
  ['firstFetch', { name: 'first_fetch', kind: 'timestamp' }],
  ['lastFetch', { name: 'last_fetch', kind: 'timestamp' }],
]

/** Rows of a row group: sites have no text, so many fit. */
const ROWS_PER_GROUP = 100_000

export async function writeSites(
  sites: AsyncIterable<SiteRow> | Iterable<SiteRow>,
  outPath: string,
): Promise<WrittenParquet> {
  const out = new DurableFile(outPath)
  try {
    const written = await writeRows(sites, out)
    return { ...written, crc32: out.keep() }
  } catch (error) {
    out.drop()
    throw error
  }
}

async function writeRows(
  sites: AsyncIterable<SiteRow> | Iterable<SiteRow>,
  out: Output,
): Promise<{ readonly rows: number; readonly bytes: number }> {
  const specs: readonly ColumnSpec[] = [
    { name: 'site', kind: 'text', required: true, ordered: true },
    ...NUMBERS.map(([, spec]) => spec),
  ]
  const columns = specs.map(spec => new Column(spec))
  const file = new ParquetFile(out, columns)
  let rows = 0
  for await (const site of sites) {
    const name = Buffer.from(site.site)
    columns[0].addBytes(name, 0, name.length)
    for (const [i, [field, spec]] of NUMBERS.entries()) {
      const value = Math.round(site[field])
      if (value === 0 && !spec.required) columns[i + 1].addNull()
      else columns[i + 1].addNumber(value)
    }
    if (++rows % ROWS_PER_GROUP === 0) file.endRowGroup()
  }
  if (rows % ROWS_PER_GROUP > 0) file.endRowGroup()
  return file.end()
}
