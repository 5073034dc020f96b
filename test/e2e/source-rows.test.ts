/**
 * A web crawled over HTTP, then from the WARC of that crawl, then from a directory with its files: the same
 * pages, links and exports.
 */
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { get } from 'node:http'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../src/compose/index.js'
import { WebPlan, WebServer } from '../../src/simulate/web/index.js'
import { GENERATED, orbweaver, start, temporary } from '../kit/orbweaver.js'
import { type PageRecord, rowsOf } from '../kit/page-rows.js'

/** Which agent and lane visited a page how fast, and where its record is. */
const OF_THE_RUN = ['agent', 'lane', 'fetch_ms', 'warc_filename', 'warc_record_offset', 'warc_record_length']
/** With several sites at once, the first of several ways to a page depends on which site was faster. */
const OF_THE_ORDER = ['via', 'depth', 'hops']
/** What a server says of a page, and a file does not. */
const OF_THE_SERVER = ['fetch_time', 'etag', 'last_modified', 'content_mime_type', 'content_charset']

/** A URL that was refused without a request has the time of the decision. */
function without(rows: readonly PageRecord[], columns: readonly string[]): PageRecord[] {
  return rows.map(row => {
    const dropped = row.fetch_status === null ? [...columns, 'fetch_time'] : columns
    return Object.fromEntries(Object.entries(row).filter(([name]) => !dropped.includes(name)))
  })
}

const plan = new WebPlan({ sites: 3, pages: 150, seed: 4 })
const overHttp = temporary('http')
const flags = [...GENERATED, '--links', 'all']
let seed: string
let authority: (site: number) => string
let pages: PageRecord[]
const files = new Map<string, Buffer>()

beforeAll(async () => {
  const server = await WebServer.listen(plan, { clock: systemClock, port: 0 })
  seed = server.seed
  authority = server.authority
  expect(await orbweaver(['crawl', seed, ...flags, '--allow-private', '--out', overHttp])).toMatchObject({
    code: 0,
  })
  pages = await rowsOf(overHttp)
  for (const { url, outcome } of pages)
    if (outcome === 'OK') files.set(String(url), await bodyOf(String(url)))
  for (let site = 0; site < plan.sites; site++) {
    const url = `http://${authority(site)}/robots.txt`
    if (plan.hasRobots(site)) files.set(url, await bodyOf(url))
  }
  await server.close()
})

function bodyOf(url: string): Promise<Buffer> {
  const { host, port, pathname, search } = new URL(url)
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path: pathname + search, headers: { host } }
    get(options, response => {
      const parts: Buffer[] = []
      response.on('data', part => parts.push(part)).on('end', () => resolve(Buffer.concat(parts)))
    }).on('error', reject)
  })
}

describe('a crawl of the WARC of a crawl', () => {
  const again = temporary('archive')
  const third = temporary('third')

  it('asks no server, and has the same pages and links', async () => {
    const source = `*=warc:${join(overHttp, 'archive')}/*.warc.gz`
    const { code, stderr } = await orbweaver(['crawl', seed, ...flags, '--source', source, '--out', again])
    expect([code, stderr]).toEqual([0, expect.stringContaining('Done: ')])
    const dropped = [...OF_THE_RUN, ...OF_THE_ORDER]
    expect(without(await rowsOf(again), dropped)).toEqual(without(pages, dropped))
    const linksOf = (directory: string) => rowsOf(directory, 'url, target, kind', 'links')
    const sorted = (rows: PageRecord[]) => rows.map(row => JSON.stringify(row)).sort()
    expect(sorted(await linksOf(again))).toEqual(sorted(await linksOf(overHttp)))
    expect(await orbweaver(['verify', again])).toMatchObject({ code: 0 })
  })

  it('is exported as the same files', async () => {
    const exported = await Promise.all(
      [overHttp, again].map(async directory => {
        const out = temporary('files')
        await orbweaver(['export', directory, '--to', 'files', '--out', out])
        return treeOf(out)
      }),
    )
    expect(exported[0].length).toBeGreaterThan(100)
    expect(exported[1]).toEqual(exported[0])
  })

  it('can be crawled again itself, by several agents', async () => {
    const source = `*=warc:${join(again, 'archive')}`
    const more = ['--source', source, '--out', third, '--agents', '2']
    expect(await orbweaver(['crawl', seed, ...flags, ...more])).toMatchObject({ code: 0 })
    const dropped = [...OF_THE_RUN, ...OF_THE_ORDER]
    expect(without(await rowsOf(third), dropped)).toEqual(without(pages, dropped))
  })
})

describe('a snapshot of a crawl, served as a web', () => {
  it('is crawled over HTTP with the same pages, by name, latency as recorded or not', async () => {
    const out = temporary('snapshot')
    const { process: child, ended, said } = start(['web', '--snapshot', overHttp, '--latency-scale', '0.01'])
    while (!said().includes('Serving')) await new Promise(resolve => setTimeout(resolve, 20))
    const [, port = ''] = /127\.0\.0\.1:(\d+)/.exec(said()) ?? []
    // The recorded port stays in the URLs; --resolve replaces it.
    const resolved = GENERATED.map(flag => flag.replace(/^\*\.test=.*/, `*.test=127.0.0.1:${port}`))
    const { code } = await orbweaver(['crawl', seed, ...resolved, '--links', 'all', '--out', out])
    child.kill('SIGINT')
    expect(await ended).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/requests \d+, not in the snapshot \d+/),
    })
    expect(code).toBe(0)
    const dropped = [...OF_THE_RUN, ...OF_THE_ORDER, 'fetch_time']
    expect(without(await rowsOf(out), dropped)).toEqual(without(pages, dropped))
  })

  it('that is not there is refused in one line', async () => {
    const { code, stderr } = await orbweaver(['web', '--snapshot', '/nowhere/*.warc.gz'])
    expect([code, stderr]).toEqual([
      4,
      expect.stringMatching(/^orbweaver: --snapshot: no WARC file is at [^\n]+\n$/),
    ])
  })
})

describe('a crawl of the files of a web', () => {
  it('has the same pages, but for those that only a server can have', async () => {
    const out = temporary('directory')
    const plain = [...files.keys()].filter(url => !url.includes('?'))
    const roots = Array.from({ length: plan.sites }, () => temporary('root'))
    for (const url of plain) {
      const { host, pathname } = new URL(url)
      const site = roots.findIndex((_, number) => authority(number) === host)
      const path = join(
        roots[site],
        decodeURIComponent(pathname.endsWith('/') ? `${pathname}index.html` : pathname),
      )
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, files.get(url)!)
    }
    const sources = roots.flatMap((root, site) => ['--source', `http://${authority(site)}/=dir:${root}`])
    const seeds = plain.filter(url => !url.endsWith('/robots.txt'))
    const { code, stderr } = await orbweaver(['crawl', ...seeds, ...flags, ...sources, '--out', out])
    expect([code, stderr]).toEqual([0, expect.stringContaining('Done: ')])
    const dropped = [...OF_THE_RUN, ...OF_THE_ORDER, ...OF_THE_SERVER]
    const isFile = ({ url, outcome }: PageRecord) => outcome === 'OK' && !String(url).includes('?')
    const found = (await rowsOf(out)).filter(isFile)
    expect(without(found, dropped)).toEqual(without(pages.filter(isFile), dropped))
    expect(found.length).toBeGreaterThan(100)
  })
})

/** Paths and contents of the files below a folder. */
function treeOf(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()
  return names
    .filter(name => statSync(join(folder, name)).isFile())
    .map(name => `${name} ${readFileSync(join(folder, name), 'base64')}`)
}

afterAll(() => files.clear())
