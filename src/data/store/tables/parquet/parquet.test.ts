import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import fc from 'fast-check'
import { parquetMetadata, parquetReadObjects } from 'hyparquet'
import { snappyUncompress } from 'hyparquet/src/snappy.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type LinkRow, pageLog } from '../../../../../test/kit/row-logs.js'
import { anyRow, anyUrl, inDirectory, SAMPLE_TIME, sampleRow } from '../../../../../test/kit/store-samples.js'
import { LIMITS, LinkKind, type PageRow } from '../../../../model/index.js'
import { hostOf, registrableDomain, siteOf } from '../../../../model/url/index.js'
import { ByteSink } from '../../bytes/index.js'
import { appendSnappy, snappyContent } from '../../compress/index.js'
import { appendLinks, DamagedFileError, readSegments, segmentBuffers } from '../index.js'
import { concatParquet, parquetRows } from './concat.js'
import { convertLogs } from './convert.js'
import { linkKindName, linkKindOf } from './link-table.js'
import { type SiteRow, writeSites } from './site-table.js'

type Row = Record<string, unknown>

let duck: DuckDBConnection
let instance: DuckDBInstance
beforeAll(async () => {
  instance = await DuckDBInstance.create(':memory:', { threads: '1' })
  duck = await instance.connect()
})
afterAll(() => {
  duck.closeSync()
  instance.closeSync()
})

const WARC = 'archive/crawl-1-00001.warc.gz'
const BASE = 2 ** 33 + 17

function writePages(path: string, rows: readonly PageRow[], agent = 'a1'): { rows: number; bytes: number } {
  return writeLogs(path, [[rows]], agent)
}

/** A log for each list of packs, all of them in one file. */
function writeLogs(path: string, logs: readonly (readonly PageRow[])[][], agent = 'a1') {
  const header = { pack: 'p', agent, warc: WARC, baseOffset: BASE }
  const written = logs.map((packs, i) => {
    const log = Buffer.concat(packs.map(rows => pageLog(rows, header)))
    writeFileSync(`${path}.${i}.rows`, log)
    return { path: `${path}.${i}.rows`, committedBytes: log.length }
  })
  return convertLogs({ table: 'pages', logs: written, outPath: path })
}

const known = (text: string) => (text === '' ? null : text)

function expectedPage(row: PageRow, agent = 'a1'): Row {
  const isArchived = row.warcOffset >= 0
  return {
    url: row.url,
    outcome: row.outcome,
    content_digest: known(row.digest),
    content_mime_type: known(row.mime),
    content_mime_detected: known(row.mimeDetected),
    content_charset: known(row.charset),
    content_languages: known(row.languages),
    content_truncated: known(row.truncated),
    title: known(row.title),
    description: known(row.description),
    text: known(Buffer.from(row.text).toString()),
    canonical: known(row.canonical),
    redirect_target: known(row.redirect),
    etag: known(row.etag),
    last_modified: known(row.lastModified),
    warc_refers_to_date: known(row.refersToDate),
    via: known(row.via),
    outlinks: row.outlinks,
    outlinks_foreign: row.outlinksForeign,
    depth: row.depth,
    hops: row.hops,
    lane: row.lane,
    attempt: row.attempt,
    kept: row.kept === '' ? null : row.kept,
    url_host_name: hostOf(siteOf(row.url)),
    url_host_registered_domain: registrableDomain(siteOf(row.url)),
    fetch_time: row.fetchedAt,
    fetch_status: row.status === 0 ? null : row.status,
    fetch_ms: Math.round(row.fetchMs),
    body_bytes: row.bodyBytes,
    warc_filename: isArchived ? WARC : null,
    warc_record_offset: isArchived ? BASE + row.warcOffset : null,
    warc_record_length: isArchived ? row.warcLength : null,
    agent,
  }
}

/** Numbers for 64-bit integers and times, so that both readers and the rows can be compared. */
function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value)
  if (value instanceof Date) return value.getTime()
  return value
}

function plainRow(row: Row): Row {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, plain(value)]))
}

async function readWithDuck(path: string): Promise<Row[]> {
  const reader = await duck.runAndReadAll(
    `SELECT * REPLACE (epoch_ms(fetch_time) AS fetch_time) FROM read_parquet('${path}', file_row_number = true) ORDER BY file_row_number`,
  )
  return reader.getRowObjectsJS().map(({ file_row_number, ...row }) => plainRow(row as Row))
}

async function readWithHyparquet(path: string): Promise<Row[]> {
  const bytes = readFileSync(path)
  const rows = await parquetReadObjects({ file: Uint8Array.from(bytes).buffer })
  return rows.map(row => plainRow(row))
}

describe('Parquet tables', () => {
  it('give every page row back, to DuckDB and to hyparquet', () =>
    inDirectory(directory =>
      fc.assert(
        fc.asyncProperty(fc.array(anyRow, { maxLength: 30 }), async rows => {
          const path = join(directory, 'pages.parquet')
          expect(writePages(path, rows).rows).toBe(rows.length)
          const expected = rows.map(row => expectedPage(row))
          expect(await readWithHyparquet(path)).toEqual(expected)
          expect(await readWithDuck(path)).toEqual(expected)
        }),
        { numRuns: 40 },
      ),
    ))

  it('give the rows of concatenated files back in order, without reading them again', () =>
    inDirectory(directory =>
      fc.assert(
        fc.asyncProperty(
          fc.array(fc.array(anyRow, { maxLength: 12 }), { minLength: 1, maxLength: 4 }),
          async files => {
            const inputs = files.map((_, i) => join(directory, `${i}.parquet`))
            for (const [i, rows] of files.entries()) writePages(inputs[i], rows, `agent ${i}`)
            const path = join(directory, 'all.parquet')
            const expected = files.flatMap((rows, i) => rows.map(row => expectedPage(row, `agent ${i}`)))
            expect(
              concatParquet(
                inputs.map(path => ({ path })),
                path,
              ).rows,
            ).toBe(expected.length)
            expect(parquetRows(path)).toBe(expected.length)
            expect(await readWithHyparquet(path)).toEqual(expected)
            expect(await readWithDuck(path)).toEqual(expected)
            // Concatenating what was concatenated works the same.
            concatParquet([{ path }, { path }], join(directory, 'twice.parquet'))
            expect(await readWithDuck(join(directory, 'twice.parquet'))).toEqual([...expected, ...expected])
          },
        ),
        { numRuns: 20 },
      ),
    ))

  it('hold long columns in many pages, and logs of any length in bounded row groups', () =>
    inDirectory(async directory => {
      const text = new Uint8Array(Buffer.from('lorem ipsum dolor sit amet '.repeat(40)))
      const rows = Array.from({ length: 2 * LIMITS.rowGroupRows + 5 }, (_, i) =>
        sampleRow({
          url: `http://example.org/${i}`,
          text: i % 7 === 0 ? new Uint8Array() : text,
          title: i % 3 === 0 ? '' : `title ${i % 1000}`,
          depth: i,
        }),
      )
      const path = join(directory, 'pages.parquet')
      const packs = Array.from({ length: Math.ceil(rows.length / 1000) }, (_, i) =>
        rows.slice(i * 1000, (i + 1) * 1000),
      )
      const { bytes } = writeLogs(path, [packs.slice(0, 4), packs.slice(4, 15), packs.slice(15)])
      const file = readFileSync(path)
      expect(file.length).toBe(bytes)
      const groups = parquetMetadata(Uint8Array.from(file).buffer).row_groups
      expect(groups.map(group => Number(group.num_rows))).toEqual([10_000, 10_000, 5])
      expect(await readWithDuck(path)).toEqual(rows.map(row => expectedPage(row)))
    }))

  it('are not made of rows whose texts are missing', () =>
    inDirectory(directory => {
      const path = join(directory, 'pages.parquet')
      writePages(path, [sampleRow()])
      const log = `${path}.0.rows`
      const [rows] = readSegments(log, statSync(log).size)
      const committedBytes = rows.rows.byteOffset + rows.rows.length
      expect(() =>
        convertLogs({ table: 'pages', logs: [{ path: log, committedBytes }], outPath: path }),
      ).toThrow(DamagedFileError)
    }))

  it('let a reader skip by URL and time', () =>
    inDirectory(directory => {
      const path = join(directory, 'pages.parquet')
      writePages(path, [
        sampleRow({ url: 'http://b.org/', fetchedAt: SAMPLE_TIME + 5 }),
        sampleRow({ url: 'http://a.org/', fetchedAt: SAMPLE_TIME, title: '' }),
      ])
      const { row_groups } = parquetMetadata(Uint8Array.from(readFileSync(path)).buffer)
      const statistics = new Map(
        row_groups[0].columns.map(({ meta_data }) => [meta_data?.path_in_schema[0], meta_data?.statistics]),
      )
      expect(statistics.get('url')).toMatchObject({ min_value: 'http://a.org/', max_value: 'http://b.org/' })
      expect(statistics.get('fetch_time')).toMatchObject({
        min_value: new Date(SAMPLE_TIME),
        max_value: new Date(SAMPLE_TIME + 5),
      })
      expect(statistics.get('title')).toMatchObject({ null_count: 1n })
    }))

  it('have types SQL can work with', () =>
    inDirectory(async directory => {
      const path = join(directory, 'pages.parquet')
      writePages(path, [sampleRow()])
      const reader = await duck.runAndReadAll(
        `SELECT typeof(fetch_time) AS time, typeof(warc_record_offset) AS place, typeof(depth) AS depth,
           date_trunc('day', fetch_time)::VARCHAR AS day FROM '${path}'`,
      )
      expect(reader.getRowObjectsJS()).toEqual([
        { time: 'TIMESTAMP', place: 'BIGINT', depth: 'INTEGER', day: '2026-01-02 00:00:00' },
      ])
    }))

  it('give every link back', () =>
    inDirectory(directory =>
      fc.assert(
        fc.asyncProperty(
          fc.array(
            fc.record({ url: anyUrl, target: anyUrl, kind: fc.constantFrom(...Object.values(LinkKind)) }),
          ),
          async (links: LinkRow[]) => {
            const sink = new ByteSink()
            for (const { url, target, kind } of links)
              appendLinks(sink, url, { targets: [target], kinds: [kind] })
            const header = { table: 'links', pack: 'p', agent: 'a', warc: '', baseOffset: 0 } as const
            const log = Buffer.concat(segmentBuffers(header, sink.view()))
            const path = join(directory, 'links.parquet')
            writeFileSync(`${path}.rows`, log)
            convertLogs({
              table: 'links',
              logs: [{ path: `${path}.rows`, committedBytes: log.length }],
              outPath: path,
            })
            const reader = await duck.runAndReadAll(
              `SELECT * EXCLUDE (file_row_number) FROM read_parquet('${path}', file_row_number = true) ORDER BY file_row_number`,
            )
            expect(reader.getRowObjectsJS()).toEqual(
              links.map(({ url, target, kind }) => ({
                url,
                target,
                url_host_name: hostOf(siteOf(url)),
                target_host_name: hostOf(siteOf(target)),
                kind: linkKindName(kind),
              })),
            )
          },
        ),
        { numRuns: 30 },
      ),
    ))

  it('name the kinds of links', () => {
    expect(linkKindName(LinkKind.anchor)).toBe('anchor')
    expect(linkKindName(LinkKind.frame | LinkKind.nofollow)).toBe('frame nofollow')
    for (let kind = 0; kind < 128; kind++) expect(linkKindOf(linkKindName(kind).split(' '))).toBe(kind)
  })

  it('give the sites back', () =>
    inDirectory(async directory => {
      const path = join(directory, 'sites.parquet')
      const site: SiteRow = {
        site: 'example.org:8080',
        pages: 9,
        fetched: 6,
        failed: 2,
        refused: 1,
        redirects: 1,
        notModified: 1,
        clientErrors: 1,
        serverErrors: 0,
        bytes: 2 ** 40,
        fetchMsTotal: 1234.4,
        firstFetch: SAMPLE_TIME,
        lastFetch: SAMPLE_TIME + 9,
      }
      const never: SiteRow = { ...site, site: 'never.org', firstFetch: 0, lastFetch: 0 }
      expect((await writeSites([site, never], path)).rows).toBe(2)
      const [first, second] = await readWithHyparquet(path)
      expect(first).toEqual({
        site: 'example.org:8080',
        pages: 9,
        fetched: 6,
        failed: 2,
        refused: 1,
        redirects: 1,
        not_modified: 1,
        client_errors: 1,
        server_errors: 0,
        bytes: 2 ** 40,
        fetch_ms_total: 1234,
        first_fetch: SAMPLE_TIME,
        last_fetch: SAMPLE_TIME + 9,
      })
      expect(second).toMatchObject({ site: 'never.org', first_fetch: null, last_fetch: null })
      const duckRows = await duck.runAndReadAll(`SELECT sum(bytes)::DOUBLE AS bytes FROM '${path}'`)
      expect(duckRows.getRowObjectsJS()).toEqual([{ bytes: 2 ** 41 }])
    }))

  it('are not concatenated with a table of other columns', () =>
    inDirectory(async directory => {
      const pages = join(directory, 'pages.parquet')
      const sites = join(directory, 'sites.parquet')
      writePages(pages, [sampleRow()])
      await writeSites([], sites)
      expect(() => concatParquet([{ path: pages }, { path: sites }], join(directory, 'out.parquet'))).toThrow(
        /other columns/,
      )
      writeFileSync(sites, 'no Parquet at all')
      expect(() => concatParquet([{ path: sites }], join(directory, 'out.parquet'))).toThrow(/damaged/)
    }))
})

describe('snappy', () => {
  const roundTrip = (bytes: Uint8Array): Buffer => {
    const sink = new ByteSink(1)
    sink.byte(99)
    appendSnappy(sink, Buffer.from(bytes))
    const output = new Uint8Array(bytes.length)
    snappyUncompress(sink.view(1), output)
    expect(snappyContent(sink.view(1)).equals(output)).toBe(true)
    return Buffer.from(output)
  }

  it('gives any bytes back', () => {
    const piece = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc
        .tuple(fc.uint8Array({ minLength: 1, maxLength: 6 }), fc.integer({ min: 1, max: 60_000 }))
        .map(([unit, length]) => Uint8Array.from({ length }, (_, i) => unit[i % unit.length])),
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 6 }), pieces => {
        const bytes = Buffer.concat(pieces)
        expect(roundTrip(bytes).equals(bytes)).toBe(true)
      }),
    )
  })

  it('makes text smaller', () => {
    const sink = new ByteSink()
    appendSnappy(sink, Buffer.from('the quick brown fox jumps over the lazy dog '.repeat(100)))
    expect(sink.length).toBeLessThan(500)
  })
})
