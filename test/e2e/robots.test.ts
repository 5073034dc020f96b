import { readdirSync, readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterEach, describe, expect, it } from 'vitest'
import { openTables, type Row } from '../../src/data/query/index.js'
import { openSqliteLedger } from '../../src/ledger/sqlite/index.js'
import type { Report } from '../../src/report/index.js'
import { checkWarcs, urlsWith } from '../kit/crawled.js'
import { type Ended, orbweaver, temporary } from '../kit/orbweaver.js'

type Handler = (request: IncomingMessage, response: ServerResponse, host: string) => void

interface Web {
  readonly port: number
  /** `host/path` of every request, in order. */
  readonly asked: string[]
}

const closers: (() => void)[] = []
afterEach(() => {
  for (const close of closers.splice(0)) close()
})

async function web(handle: Handler): Promise<Web> {
  const asked: string[] = []
  const server = createServer((request, response) => {
    const host = request.headers.host!.split(':')[0]
    asked.push(`${host}${request.url}`)
    handle(request, response, host)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  closers.push(() => server.close())
  return { port: (server.address() as AddressInfo).port, asked }
}

function html(response: ServerResponse, body: string, headers: Record<string, string | string[]> = {}): void {
  response.writeHead(200, { 'content-type': 'text/html', ...headers }).end(body)
}

async function crawl(
  { port }: Web,
  host: string,
  ...flags: readonly string[]
): Promise<Ended & { out: string; report: Report }> {
  const out = temporary('crawl')
  const usual = ['--resolve', `*.test=127.0.0.1:${port}`, '--contact', 'https://example.org/', '--out', out]
  const delay = flags.includes('--delay') ? [] : ['--delay', '0']
  const end = await orbweaver(['crawl', `http://${host}/`, ...usual, ...delay, ...flags])
  return { ...end, out, report: JSON.parse(readFileSync(join(out, 'report.json'), 'utf8')) }
}

async function rows(directory: string, sql: string): Promise<Row[]> {
  const tables = await openTables(directory)
  try {
    const found: Row[] = []
    for await (const row of tables.query(sql)) found.push(row)
    return found
  } finally {
    await tables.close()
  }
}

describe('a site whose robots.txt cannot be read is not touched (P9)', () => {
  it('says so with the status and --robots rfc9309, keeps the URLs, and goes on when resumed', async () => {
    const site = await web((request, response) => {
      if (request.url === '/robots.txt') response.writeHead(403).end()
      else html(response, '<a href="/a">a</a>')
    })
    const end = await crawl(site, 'one.test')
    expect(end.code).toBe(5)
    expect(site.asked).toEqual(['one.test/robots.txt'])
    expect(end.stderr).toContain('http://one.test: robots.txt answered 403')
    expect(end.stderr).toContain('--robots rfc9309')
    expect(end.report).toMatchObject({
      finishReason: 'parked',
      queued: 1,
      robots: {
        mode: 'strict',
        refused: 1,
        refusedSites: [{ origin: 'http://one.test', code: 'ROBOTS_UNAVAILABLE', status: 403, failures: 1 }],
      },
    })
    await orbweaver(['resume', end.out])
    const ledger = openSqliteLedger(join(end.out, 'ledger.db'), { create: false, now: Date.now })
    expect(await ledger.loadOrigins('one.test')).toMatchObject([{ failures: 2, status: 403 }])
    await ledger.close()
    expect((await orbweaver(['resume', end.out, '--robots', 'rude'])).code).toBe(4)
    const resumed = await orbweaver(['resume', end.out, '--json', '--robots', 'rfc9309'])
    expect(resumed.code, resumed.stderr).toBe(0)
    expect(JSON.parse(resumed.stdout)).toMatchObject({
      finishReason: 'done',
      pages: 2,
      robots: { refused: 0 },
    })
  })

  it('is crawled by --robots rfc9309 when it answered 4xx, and not when 5xx', async () => {
    const site = await web((request, response, host) => {
      if (request.url === '/robots.txt') response.writeHead(host === 'four.test' ? 403 : 500).end()
      else html(response, 'page')
    })
    expect(await crawl(site, 'four.test', '--robots', 'rfc9309')).toMatchObject({ code: 0 })
    expect(await crawl(site, 'five.test', '--robots', 'rfc9309')).toMatchObject({ code: 5 })
    expect(site.asked).toEqual(['four.test/robots.txt', 'four.test/', 'five.test/robots.txt'])
  })

  it('twenty such sites at once are ordinary: no warning of the runtime on the terminal', async () => {
    const site = await web((_, response) => response.writeHead(500).end())
    const others = Array.from({ length: 19 }, (_, n) => `http://site${n}.test/`)
    const end = await crawl(site, 'one.test', ...others)
    expect(site.asked.length).toBe(40)
    expect(end.stderr).not.toContain('Warning')
  })

  it('is asked again after the retry interval and given up after the last failure; its URLs have a code', async () => {
    const site = await web((_, response) => void response.writeHead(503).end())
    const end = await crawl(site, 'down.test', '--robots-retry', '0.3', '--robots-failures', '2')
    expect(site.asked).toEqual(Array(4).fill('down.test/robots.txt'))
    expect(end.report).toMatchObject({
      finishReason: 'done',
      outcomes: { ROBOTS_GIVEN_UP: 1 },
      robots: { refusedSites: [{ code: 'ROBOTS_GIVEN_UP', status: 503, failures: 2 }] },
    })
    expect(end.stderr).toContain('http://down.test: robots.txt answered 503 (given up)')
    expect(await urlsWith(end.out, 'ROBOTS_GIVEN_UP')).toEqual(['http://down.test/'])
    await orbweaver(['resume', end.out])
    expect(site.asked).toHaveLength(4)
    expect(readFileSync(join(end.out, 'crawl.log'), 'utf8')).toContain('at 127.0.0.1: status 503')
  })

  it('does not keep others from being crawled', async () => {
    const site = await web((request, response, host) => {
      if (request.url === '/robots.txt') response.writeHead(host === 'good.test' ? 404 : 401).end()
      else html(response, '<a href="http://bad.test/x">x</a><a href="/b">b</a>')
    })
    const end = await crawl(site, 'good.test', '--scope', 'any')
    expect(end.code, end.stderr).toBe(12)
    expect((await urlsWith(end.out, 'OK')).sort()).toEqual(['http://good.test/', 'http://good.test/b'])
    expect(site.asked.filter(path => path.startsWith('bad.test'))).toEqual(['bad.test/robots.txt'])
  })
})

describe('rules', () => {
  it('that change apply once they are read again, mid-crawl', async () => {
    let pages = 0
    const site = await web((request, response) => {
      const forbids = pages >= 3
      if (request.url === '/robots.txt') {
        response.writeHead(200).end(forbids ? 'User-agent: *\nDisallow: /p' : 'User-agent: *\nDisallow:')
        return
      }
      pages++
      html(response, Array.from({ length: 12 }, (_, i) => `<a href="/p${i}">p</a>`).join(''))
    })
    const end = await crawl(site, 'moody.test', '--delay', '120', '--robots-recheck', '1')
    expect(end.code, end.stderr).toBe(0)
    const { OK, ROBOTS_DISALLOWED } = end.report.outcomes
    expect(OK + ROBOTS_DISALLOWED).toBe(13)
    expect(ROBOTS_DISALLOWED).toBeGreaterThan(0)
    const second = site.asked.lastIndexOf('moody.test/robots.txt')
    expect(second).toBeGreaterThan(3)
    expect(site.asked.slice(second + 1).filter(path => path.startsWith('moody.test/p'))).toEqual([])
  })

  it.each([
    [5, 0],
    [6, 5],
  ])('behind %d redirects over other hosts are those of the first: exit code %d', async (hops, code) => {
    const site = await web((request, response, host) => {
      const at = Number(/^hop(\d)/.exec(host)?.[1] ?? 0)
      if (request.url !== '/robots.txt') return html(response, '<a href="/private">no</a><a href="/x">x</a>')
      if (at < hops) response.writeHead(302, { location: `http://hop${at + 1}.test/robots.txt` }).end()
      else response.writeHead(200).end('User-agent: *\nDisallow: /private')
    })
    const end = await crawl(site, 'first.test', '--delay', '50')
    expect(end.code, end.stderr).toBe(code)
    expect(site.asked.slice(0, 6)).toEqual(
      ['first', 'hop1', 'hop2', 'hop3', 'hop4', 'hop5'].map(host => `${host}.test/robots.txt`),
    )
    expect(site.asked.slice(6)).toEqual(code === 0 ? ['first.test/', 'first.test/x'] : [])
    if (code === 0)
      expect(await urlsWith(end.out, 'ROBOTS_DISALLOWED')).toEqual(['http://first.test/private'])
  })

  it('are ignored only on request, and the log and the archive say so', async () => {
    const site = await web((request, response) => {
      if (request.url === '/robots.txt') response.writeHead(200).end('User-agent: *\nDisallow: /')
      else html(response, '<meta name=robots content=nofollow><a href="/a" rel=nofollow>a</a>')
    })
    const end = await crawl(site, 'mine.test', '--robots', 'ignore')
    expect(end.code).toBe(0)
    expect(site.asked).toEqual(['mine.test/', 'mine.test/a'])
    expect(end.stderr).toContain('--robots ignore')
    expect(readFileSync(join(end.out, 'crawl.log'), 'utf8')).toContain(
      'robots.txt is ignored (--robots ignore)',
    )
    const archive = readdirSync(join(end.out, 'archive')).find(name => name.endsWith('.warc.gz'))!
    const info = gunzipSync(readFileSync(join(end.out, 'archive', archive))).toString('latin1')
    expect(info.slice(0, 2_000)).toMatch(/WARC-Type: warcinfo[\s\S]*\nrobots: ignore\r\n/)
  })
})

describe('what a page asks for itself', () => {
  it('nofollow: its links are counted, listed and not followed', async () => {
    const links = '<a href="/never">n</a><a href="http://other.test/">o</a>'
    const site = await web((request, response) => {
      switch (request.url) {
        case '/robots.txt':
          return void response.writeHead(404).end()
        case '/':
          return html(
            response,
            '<a href=/meta>m</a><a href=/named>n</a><a href=/header>h</a><a href=/theirs>t</a>' +
              '<a href="/rel" rel="noopener NoFollow">r</a><a href="/ugc" rel=ugc>u</a><a href=/both rel=nofollow>b</a><a href=/both>b</a>',
          )
        case '/meta':
          return html(response, `<meta name=robots content="none">${links}`)
        case '/named':
          return html(response, `<meta name=Orbweaver content="nofollow">${links}`)
        case '/header':
          return html(response, links, { 'x-robots-tag': ['googlebot: noindex', 'orbweaver: nofollow'] })
        case '/theirs':
          return html(response, '<meta name=googlebot content=nofollow><a href="/followed">f</a>', {
            'x-robots-tag': 'googlebot: nofollow',
          })
        default:
          return html(response, 'text')
      }
    })
    const end = await crawl(site, 'site.test', '--scope', 'any')
    expect(end.code, end.stderr).toBe(0)
    expect((await urlsWith(end.out, 'OK')).sort()).toEqual(
      ['', 'both', 'followed', 'header', 'meta', 'named', 'theirs', 'ugc'].map(
        path => `http://site.test/${path}`,
      ),
    )
    expect(
      await rows(
        end.out,
        `SELECT DISTINCT outlinks FROM pages WHERE url IN ('http://site.test/meta', 'http://site.test/header')`,
      ),
    ).toEqual([{ outlinks: 2 }])
    expect(
      await rows(end.out, "SELECT count(*) AS n FROM links WHERE target_host_name = 'other.test'"),
    ).toEqual([{ n: 3 }])
  })

  it('noarchive: a row without content and nothing in the archive; noindex: no words in the tables', async () => {
    const page = (meta: string) =>
      `<html><head><title>Title</title>${meta}</head><body><p>Some words</p></body></html>`
    const site = await web((request, response) => {
      switch (request.url) {
        case '/robots.txt':
          return void response.writeHead(404).end()
        case '/':
          return html(
            response,
            `${page('')}<a href=/noarchive>1</a><a href=/noindex>2</a><a href=/header>3</a>`,
          )
        case '/noarchive':
          return html(response, page('<meta name=robots content=noarchive>'))
        case '/noindex':
          return html(response, page('<meta name=robots content=noindex>'))
        default:
          return html(response, page(''), { 'x-robots-tag': 'noarchive' })
      }
    })
    const end = await crawl(site, 'site.test')
    expect(end.code, end.stderr).toBe(0)
    const found = await rows(
      end.out,
      `SELECT url, fetch_status AS status, title, text, warc_record_offset IS NOT NULL AS kept
       FROM pages ORDER BY url`,
    )
    expect(found.map(({ url, status, kept }) => [String(url).slice(16), status, kept])).toEqual([
      ['/', 200, true],
      ['/header', 200, false],
      ['/noarchive', 200, false],
      ['/noindex', 200, true],
    ])
    expect(found.map(({ title, text }) => [title ?? '', String(text ?? '').includes('Some words')])).toEqual([
      ['Title', true],
      ['', false],
      ['', false],
      ['', false],
    ])
    const archive = await checkWarcs(end.out)
    expect(archive.problems).toEqual([])
    expect([...archive.pages].sort()).toEqual(['http://site.test/', 'http://site.test/noindex'])
    expect((await orbweaver(['export', end.out, '--to', 'files', '--out', `${end.out}-files`])).code).toBe(0)
  })
})

it('who crawls is in the user agent; without --contact one line asks for it', async () => {
  const agents: string[] = []
  const site = await web((request, response) => {
    agents.push(request.headers['user-agent']!)
    response.writeHead(404).end()
  })
  await crawl(site, 'a.test')
  expect(new Set(agents)).toEqual(
    new Set([expect.stringMatching(/^orbweaver\/\d+\.\d+\.\d+ \(\+https:\/\/example\.org\/\)$/)]),
  )
  const flags = [
    '--resolve',
    `*.test=127.0.0.1:${site.port}`,
    '--delay',
    '0',
    '--out',
    temporary('crawl'),
    '--json',
  ]
  const bare = await orbweaver(['crawl', 'http://b.test/', ...flags])
  expect(bare.stderr.split('\n').filter(line => line.includes('--contact'))).toHaveLength(1)
  expect(bare.stdout).not.toContain('--contact')
  expect(agents.at(-1)).toMatch(/^orbweaver\/\d+\.\d+\.\d+$/)
})
