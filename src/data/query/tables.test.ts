import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { MADE_AT, MadeCrawl } from '../../../test/kit/made-crawl.js'
import { query } from '../../index.js'
import { writeManifest } from '../store/tables/index.js'
import { writeSites } from '../store/tables/parquet/index.js'
import { openTables, type Row } from './tables.js'

const made: MadeCrawl[] = []

function newCrawl(options?: ConstructorParameters<typeof MadeCrawl>[0]): MadeCrawl {
  const crawl = new MadeCrawl(options)
  made.push(crawl)
  return crawl
}

async function collect(stream: AsyncIterable<Row>): Promise<Row[]> {
  const rows: Row[] = []
  for await (const row of stream) rows.push(row)
  return rows
}

const rows = (dir: string, sql: string) => collect(query(dir, sql))

const page = (n: number, links: readonly string[] = []) => ({
  url: `http://a.test/${n}`,
  body: `<title>Page ${n}</title><p>text ${n}`,
  headers: { etag: `"${n}"` },
  links,
})

afterEach(async () => {
  for (const crawl of made.splice(0)) await crawl.remove()
})

describe('a crawl seen through its tables', () => {
  it('holds every column of a page with its type', async () => {
    const crawl = newCrawl()
    await crawl.add([page(1, ['http://b.test/'])])
    await crawl.finish()
    const [row] = await rows(crawl.dir, 'SELECT * FROM pages')
    expect(row).toMatchObject({
      url: 'http://a.test/1',
      url_host_name: 'a.test',
      url_host_registered_domain: 'a.test',
      fetch_time: new Date(MADE_AT).toISOString(),
      fetch_status: 200,
      content_mime_type: 'text/html',
      content_charset: 'utf-8',
      warc_filename: 'archive/made-1-00001.warc.gz',
      outcome: 'OK',
      title: 'Page 1',
      text: 'text 1',
      etag: '"1"',
      last_modified: null,
      agent: 'a',
      body_bytes: 30,
    })
    expect(Object.keys(row ?? {})).toHaveLength(34)
    expect(await rows(crawl.dir, 'SELECT * FROM links')).toEqual([
      {
        url: 'http://a.test/1',
        target: 'http://b.test/',
        url_host_name: 'a.test',
        target_host_name: 'b.test',
        kind: 'anchor',
      },
    ])
  })

  it('shows the committed rows of a log while the crawl runs, and no others', async () => {
    const crawl = newCrawl()
    await crawl.add([page(1), page(2)])
    await crawl.add([page(3)], false)
    expect(await rows(crawl.dir, 'SELECT url FROM pages ORDER BY url')).toEqual([
      { url: 'http://a.test/1' },
      { url: 'http://a.test/2' },
    ])
  })

  it('puts Parquet files and logs together', async () => {
    const crawl = newCrawl()
    await crawl.add([page(1, ['http://b.test/'])])
    await crawl.add([page(2, ['http://c.test/'])])
    await crawl.merge()
    expect((await crawl.ledger.files()).map(file => file.kind).sort()).toEqual([
      ...['cdxj-log', 'links', 'links-log', 'pages', 'pages-log', 'warc'],
    ])
    expect(await rows(crawl.dir, 'SELECT count(*) AS n, max(title) AS last FROM pages')).toEqual([
      { n: 2, last: 'Page 2' },
    ])
    expect(await rows(crawl.dir, 'SELECT count(*) AS n FROM links')).toEqual([{ n: 2 }])
  })

  it('has all columns where there is no row at all', async () => {
    const crawl = newCrawl()
    for (const table of ['pages', 'links', 'sites'])
      expect(await rows(crawl.dir, `FROM ${table}`)).toEqual([])
    expect(await rows(crawl.dir, 'SELECT count(fetch_time) AS n, sum(body_bytes) AS b FROM pages')).toEqual([
      { n: 0, b: null },
    ])
    const columns = await rows(crawl.dir, 'DESCRIBE pages')
    expect(columns.find(column => column.column_name === 'fetch_time')?.column_type).toBe('TIMESTAMP')
  })

  it('counts sites from the pages while the crawl runs, and reads them from their file afterwards', async () => {
    const crawl = newCrawl()
    await crawl.add([
      page(1),
      { url: 'http://a.test/gone', status: 404, outcome: 'HTTP_CLIENT_ERROR' },
      { url: 'http://a.test/no', status: 0, outcome: 'ROBOTS_DISALLOWED' },
      { url: 'http://a.test/trap', status: 0, outcome: 'TRAP:calendar' },
      { url: 'http://a.test/more', status: 0, outcome: 'SITE_PAGE_LIMIT' },
      { url: 'http://b.test:81/x', status: 0, outcome: 'CONNECT_REFUSED' },
      { url: 'http://b.test:81/y', status: 0, outcome: 'BLACKLISTED' },
    ])
    const sql = 'SELECT site, pages, fetched, failed, refused, client_errors FROM sites ORDER BY site'
    expect(await rows(crawl.dir, sql)).toEqual([
      { site: 'a.test', pages: 1, fetched: 2, failed: 0, refused: 3, client_errors: 1 },
      { site: 'b.test:81', pages: 0, fetched: 0, failed: 1, refused: 1, client_errors: 0 },
    ])
    const counted = await rows(crawl.dir, 'DESCRIBE sites')
    const name = 'tables/sites/1.parquet'
    const zero = { failed: 0, refused: 0, redirects: 0, notModified: 0, clientErrors: 0, serverErrors: 0 }
    const site = { site: 'told.test', pages: 7, fetched: 7, ...zero, bytes: 9, fetchMsTotal: 8 }
    const { bytes, crc32 } = await writeSites(
      [{ ...site, firstFetch: MADE_AT, lastFetch: MADE_AT }],
      join(crawl.dir, name),
    )
    await crawl.commit([{ name, kind: 'sites' as 'warc', bytes, crc32 }])
    expect(await rows(crawl.dir, 'SELECT site FROM sites')).toHaveLength(2)
    await crawl.finish()
    expect(await rows(crawl.dir, 'SELECT site, pages FROM sites')).toEqual([{ site: 'told.test', pages: 7 }])
    expect(await rows(crawl.dir, 'DESCRIBE sites')).toEqual(counted)
  })

  it('reads the manifest where the ledger cannot be opened', async () => {
    const crawl = newCrawl()
    await crawl.add([page(1)])
    await crawl.add([page(2)])
    await crawl.merge()
    const files = await crawl.ledger.files()
    const listed = (kind: string) => files.filter(file => file.kind === kind)
    const none = { files: [], logs: [] }
    const pages = { files: listed('pages'), logs: listed('pages-log') }
    writeManifest(crawl.dir, { writtenAt: MADE_AT, tables: { pages, links: none, items: none, sites: none } })
    await crawl.ledger.close()
    for (const name of readdirSync(crawl.dir).filter(entry => entry.startsWith('ledger.db')))
      rmSync(join(crawl.dir, name))
    expect(await rows(crawl.dir, 'SELECT count(*) AS n FROM pages')).toEqual([{ n: 2 }])
    writeFileSync(join(crawl.dir, 'ledger.db'), 'this is no database at all, and long enough to be read')
    expect(await rows(crawl.dir, 'SELECT count(*) AS n FROM pages')).toEqual([{ n: 2 }])
  })

  it('a crawl that was just begun has no rows; one that lost its ledger is refused', async () => {
    const crawl = newCrawl()
    await crawl.ledger.close()
    const loseLedger = () => {
      for (const name of readdirSync(crawl.dir).filter(entry => entry.startsWith('ledger.db')))
        rmSync(join(crawl.dir, name))
    }
    loseLedger()
    expect(await rows(crawl.dir, 'SELECT count(*) AS n FROM pages')).toEqual([{ n: 0 }])
    writeFileSync(join(crawl.dir, 'archive/made-1-00001.warc.gz.open'), 'a record')
    await expect(openTables(crawl.dir)).rejects.toThrow(/^ledger\.db is missing; run "orbweaver repair /)
  })

  it('goes on reading when a merge takes its files away', async () => {
    const crawl = newCrawl()
    await crawl.add([page(1)])
    await crawl.add([page(2)])
    await crawl.merge()
    const tables = await openTables(crawl.dir)
    try {
      const [first] = (await crawl.ledger.files()).filter(file => file.kind === 'pages')
      await crawl.ledger.swapFiles([first?.name ?? ''], [])
      rmSync(join(crawl.dir, first?.name ?? ''))
      await crawl.merge('all')
      expect(await collect(tables.query('SELECT title FROM pages ORDER BY url'))).toEqual([
        { title: 'Page 1' },
        { title: 'Page 2' },
      ])
    } finally {
      await tables.close()
    }
    expect(readdirSync(join(crawl.dir, 'tables')).filter(name => name.startsWith('.'))).toEqual([])
  })

  it('lists again when a file went away that it could not hold on to', async () => {
    const crawl = newCrawl()
    await crawl.add([page(1)])
    await crawl.finish()
    // A finished crawl is not held on to: nothing should change it. Here it changes all the same.
    const tables = await openTables(crawl.dir)
    try {
      const [file] = (await crawl.ledger.files()).filter(entry => entry.kind === 'pages')
      const renamed = 'tables/pages/renamed.parquet'
      const old = join(crawl.dir, file?.name ?? '')
      const { copyFileSync } = await import('node:fs')
      copyFileSync(old, join(crawl.dir, renamed))
      const { name, kind, bytes, crc32 } = file
      await crawl.ledger.swapFiles([name], [{ name: renamed, kind, bytes, crc32 }])
      rmSync(old)
      expect(await collect(tables.query('SELECT title FROM pages'))).toEqual([{ title: 'Page 1' }])
    } finally {
      await tables.close()
    }
  })

  it('leaves nothing behind, whether a query ends, fails or is left early', async () => {
    const crawl = newCrawl()
    await crawl.add([page(1), page(2)])
    // Other test files use the common one at the same time.
    const common = process.env.TMPDIR
    process.env.TMPDIR = mkdtempSync(join(tmpdir(), 'orb-scratch-'))
    try {
      await rows(crawl.dir, 'SELECT * FROM pages')
      await expect(rows(crawl.dir, 'SELECT nothing FROM pages')).rejects.toThrow()
      for await (const _ of query(crawl.dir, 'FROM range(1000000)')) break
      expect(readdirSync(tmpdir())).toEqual([])
    } finally {
      process.env.TMPDIR = common
    }
    expect(readdirSync(join(crawl.dir, 'tables')).sort()).toEqual(['items', 'links', 'pages', 'sites'])
  })
})

describe('what is not a crawl', () => {
  it.each([
    ['no directory', () => join(tmpdir(), 'orb-nowhere'), /^there is no directory/],
    ['a file', () => import.meta.filename, /is a file; give the directory of a crawl$/],
    [
      'another directory',
      () => mkdtempSync(join(tmpdir(), 'orb-other-')),
      /is not a crawl: it has no crawl.json/,
    ],
  ])('is refused in one line: %s', async (_, dirOf, message) => {
    const dir = dirOf()
    await expect(openTables(dir)).rejects.toThrow(message)
    if (dir.includes('orb-other-')) rmSync(dir, { recursive: true })
  })

  it('does not follow a manifest out of the crawl', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'orb-evil-'))
    const outside = { files: [{ name: '../../etc/secret.parquet', bytes: 1, crc32: 1 }], logs: [] }
    const none = { files: [], logs: [] }
    const { mkdirSync } = await import('node:fs')
    mkdirSync(join(dir, 'tables'))
    writeManifest(dir, { writtenAt: 0, tables: { pages: outside, links: none, items: none, sites: none } })
    await expect(openTables(dir)).rejects.toThrow('names a file outside of itself')
    rmSync(dir, { recursive: true })
  })

  it('says that a listed file is missing', async () => {
    const crawl = newCrawl()
    await crawl.add([page(1)])
    await crawl.finish()
    const [file] = (await crawl.ledger.files()).filter(entry => entry.kind === 'pages')
    const path = join(crawl.dir, file?.name ?? '')
    rmSync(path)
    expect(existsSync(path)).toBe(false)
    await expect(openTables(crawl.dir)).rejects.toThrow(file?.name ?? '')
  })
})
