/**
 * Credentials and cookies stay where they are: nothing is sent to anybody, nothing is written to logs or
 * tables.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { openTables } from '../../src/data/query/index.js'
import { type Ended, orbweaver, temporary } from '../kit/orbweaver.js'
import { RawServer } from '../kit/raw-server.js'

const SECRET = 's3cr3t'
const COOKIE = 'c00k1e'
/**
 * In a query it is a part of the URL, so frontier, archive and index have it; what is read or handed around
 * has not.
 */
const TOKEN = 't0k3nv4lu3'
const LOGIN = `user:${SECRET}@`

/** Every place of a page that can name a URL names one with a login. */
const PAGE = `<base href="http://${LOGIN}own.test/dir/">
<link rel=canonical href="http://${LOGIN}own.test/canonical">
<meta http-equiv=refresh content="9; url=http://${LOGIN}own.test/refresh">
<a href="http://${LOGIN}own.test/absolute">a</a> <a href="//${LOGIN}own.test/scheme-relative">b</a>
<a href="relative">c</a> <a href="http://${LOGIN}other.test/foreign">d</a>
<a href="http://${LOGIN}closed.test:1/unreachable">e</a>
<a href="http://token-${SECRET}@own.test/name-only">f</a> <a href="/door?token=${TOKEN}">h</a>
<a href="http://other.test/door?x=1&amp;api_key=${TOKEN}">i</a> <img srcset="http://${LOGIN}own.test/i.png 2x">`

const PATHS = [
  'absolute',
  'scheme-relative',
  'from-sitemap',
  'dir/relative',
  'refresh',
  'name-only',
  'redirect',
  'target',
  'canonical',
]

function answer(request: string): string {
  const target = request.split(' ', 2)[1]
  const cookie = `Set-Cookie: session=${COOKIE}; Path=/; Domain=test\r\nWWW-Authenticate: Basic realm="${COOKIE}"\r\n`
  const text = (body: string, type: string) =>
    `HTTP/1.1 200 OK\r\n${cookie}Content-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  if (target === '/robots.txt')
    return text(
      `User-agent: *\nDisallow: /never\nSitemap: http://${LOGIN}own.test/sitemap.xml\nSitemap: /bad.xml?access_token=${TOKEN}\n`,
      'text/plain',
    )
  if (target === '/sitemap.xml')
    return text(
      `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
       <url><loc>http://${LOGIN}own.test/from-sitemap</loc></url></urlset>`,
      'text/xml',
    )
  if (target === '/redirect')
    return `HTTP/1.1 302 Found\r\n${cookie}Location: http://${LOGIN}own.test/target\r\nContent-Length: 0\r\n\r\n`
  const status = target === '/refresh' ? '401 Unauthorized' : '200 OK'
  const body = target === '/' ? `${PAGE}<a href="/redirect">g</a>` : '<title>page</title>'
  return `HTTP/1.1 ${status}\r\n${cookie}Content-Type: text/html\r\nContent-Length: ${body.length}\r\n\r\n${body}`
}

/** All that a crawl writes but its archive, as text. */
async function written(directory: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const file of readdirSync(directory).filter(name => /\.(json|log|db|db-wal)$/.test(name)))
    found[file] = readFileSync(join(directory, file), 'latin1')
  const tables = await openTables(directory)
  for (const table of ['pages', 'links', 'sites'])
    for await (const row of tables.query(`SELECT * FROM ${table}`))
      found[table] =
        `${found[table] ?? ''}${JSON.stringify(row, (_, v) => (typeof v === 'bigint' ? Number(v) : v))}\n`
  await tables.close()
  return found
}

describe('secrets', () => {
  let end: Ended
  let requests: readonly string[]
  let files: Record<string, string>

  beforeAll(async () => {
    const server = await RawServer.start((socket, request) => void socket.write(answer(request), 'latin1'))
    const out = temporary('crawl')
    end = await orbweaver([
      ...[
        'crawl',
        `http://${LOGIN}own.test/`,
        '--scope',
        'any',
        '--assets',
        '--links',
        'all',
        '--delay',
        '0',
      ],
      ...['--resolve', `*.test=127.0.0.1:${server.port}`, '--tries', '1', '--out', out],
    ])
    await server.close()
    requests = server.requests
    files = await written(out)
  })

  it('the pages behind the logins were found and asked for without them', () => {
    expect(end.code, end.stderr).toBe(0)
    const asked = requests.map(request => request.split(' ', 2)[1])
    for (const path of PATHS)
      expect(
        asked.filter(target => target.endsWith(`/${path}`)),
        path,
      ).toHaveLength(1)
    expect(files.pages).toContain('http://other.test/foreign')
    expect(files.pages).toContain('http://closed.test:1/unreachable')
    expect(files.links).toContain('http://own.test/name-only')
  })

  it('no request carries a cookie, a login or a referrer', () => {
    expect(requests.filter(request => /^(cookie|authorization|referer):/im.test(request))).toEqual([])
    expect(requests.filter(request => request.includes(SECRET) || request.includes(COOKIE))).toEqual([])
  })

  it('no log, report, table or terminal shows the token of a URL, and the URL was asked for with it', () => {
    expect(files['report.json']).toMatch(/bad\.xml\?access_token=\S+ is no sitemap/)
    const { pages, links } = files
    for (const text of [files['report.json'], files['crawl.log'], pages, links, end.stderr, end.stdout])
      expect(text).not.toContain(TOKEN)
    expect(pages).toMatch(/own\.test\/door\?token=~[0-9a-f]{8}"/)
    expect(links).toMatch(/other\.test\/door\?x=1&api_key=~[0-9a-f]{8}"/)
    const asked = requests.map(request => request.split(' ', 2)[1])
    expect(asked.filter(target => target.includes(TOKEN))).toEqual(
      expect.arrayContaining([`/door?token=${TOKEN}`, `/door?x=1&api_key=${TOKEN}`]),
    )
  })

  it('no log, report, table or terminal holds one', () => {
    const all: Record<string, string> = { ...files, stdout: end.stdout, stderr: end.stderr }
    expect(Object.keys(all)).toEqual(
      expect.arrayContaining([
        'crawl.json',
        'crawl.log',
        'report.json',
        'ledger.db',
        'pages',
        'links',
        'sites',
      ]),
    )
    for (const [name, text] of Object.entries(all)) {
      // The ledger keeps each robots.txt as it came, and this one has a login in it.
      if (name !== 'ledger.db') expect(text.includes(SECRET), `${name} holds the login`).toBe(false)
      expect(text.includes(COOKIE), `${name} holds the cookie`).toBe(false)
    }
  })
})

it('a seed that cannot be read is not repeated with its login', async () => {
  const { stderr, code } = await orbweaver(['crawl', `ftp://${LOGIN}own.test/`])
  expect(code).toBe(4)
  expect(stderr).not.toContain(SECRET)
})
