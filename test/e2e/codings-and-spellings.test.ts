/**
 * One small web whose pages come in every content coding, whose links spell the same page in several ways,
 * with formulas and with sitemaps as some sites write them: each page is fetched once, and is read like its
 * plain copy.
 */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { EXIT } from '../../src/cli/exit/index.js'
import { query } from '../../src/index.js'
import { loadedZstd, loadZstd } from '../../src/model/bytes/index.js'
import { checkWarcs } from '../kit/crawled.js'
import { filesIn } from '../kit/damage.js'
import { orbweaver, temporary } from '../kit/orbweaver.js'
import { page, type Said, SmallWeb } from '../kit/small-web.js'

await loadZstd()
const zstd = (bytes: Buffer) => Buffer.from(loadedZstd()!.compress(bytes, 3))

const CODINGS: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  identity: bytes => bytes,
  gzip: gzipSync,
  deflate: deflateSync,
  'x-gzip': bytes => Buffer.concat([gzipSync(bytes), Buffer.from('\n')]),
  br: brotliCompressSync,
  zstd,
  'deflate, gzip': bytes => gzipSync(deflateRawSync(bytes)),
  'gzip, zstd': bytes => zstd(gzipSync(bytes)),
  'zstd, br': bytes => brotliCompressSync(zstd(bytes)),
}
const CODING_NAMES = Object.keys(CODINGS)

function coded(body: string, coding: string, type = 'text/html; charset=utf-8'): Said {
  return { type, headers: { 'content-encoding': coding }, body: CODINGS[coding](Buffer.from(body)) }
}

const WORDS = Array.from({ length: 300 }, (_, i) => `word${(i * 7919) % 1013}`).join(' ')
const FORMULA =
  '<math><semantics><mrow><mi>E</mi><mo>=</mo><mi>m</mi></mrow><annotation encoding="application/x-tex">E=m</annotation></semantics></math>'

/** By the path as a server decodes it; a slash that is part of a name stays escaped. */
function answer(path: string): Said | string | null {
  const shown = decodeURIComponent(path.replace(/%2f/gi, '%252F'))
  const number = /^\/coded\/(\d+)$/.exec(shown)
  if (number) return coded(page('coded', WORDS, [`/from/${number[1]}`]), CODING_NAMES[Number(number[1])])
  if (/^\/from\/\d+$/.test(shown)) return page('reached', 'x')
  switch (shown) {
    case '/robots.txt':
      return coded(
        'User-agent: *\nDisallow: /%70rivate\nDisallow: /a%2Fb\nSitemap: /maps.xml\n',
        'zstd',
        'text/plain',
      )
    case '/maps.xml':
      return coded(
        '<sitemapindex><sitemap>http://one.test/map.xml</sitemap></sitemapindex>',
        'zstd',
        'text/xml',
      )
    case '/map.xml': {
      const urls = ['/listed', '/%6Cisted', '/&undeclared;', '/foo'].map(
        url => `<url><loc>http://one.test${url}</loc></url>`,
      )
      return { type: 'text/xml', body: zstd(Buffer.from(`<urlset>${urls.join('')}</urlset>`)) }
    }
    case '/':
      return page('home', 'x', [
        ...CODING_NAMES.map((_, i) => `/coded/${i}`),
        ...['/foo', '/%66oo', '/f%6fo', '/caf%c3%a9', '/caf%C3%A9', '/café', '/strict/%C3%BC'],
        ...[
          '/private',
          '/priv%61te',
          '/a%2fb',
          '/a/b',
          '/x%3Fy',
          '/x%3fy',
          '/x/%2e%2e/foo',
          '/formula',
          '/cut',
        ],
      ])
    case '/strict/ü':
      // This server wants lower-case escapes, and says so.
      return path === '/strict/%c3%bc'
        ? page('strict', 'x')
        : { status: 301, headers: { location: '/strict/%c3%bc' }, body: '' }
    case '/formula':
      return `<title>formula</title><p>Then ${FORMULA} holds.</p>`
    case '/cut': {
      const body = gzipSync(page('cut', WORDS))
      return { headers: { 'content-encoding': 'gzip' }, body: body.subarray(0, body.length - 20) }
    }
    case '/listed':
    case '/foo':
    case '/café':
    case '/private':
    case '/a%2Fb':
    case '/a/b':
    case '/x?y':
      return page(shown, 'x')
    default:
      return null
  }
}

const rowsOf = async (directory: string, sql: string): Promise<Record<string, unknown>[]> => {
  const rows: Record<string, unknown>[] = []
  for await (const row of query(directory, sql)) rows.push({ ...row })
  return rows
}

describe('a web in every coding and spelling', () => {
  const directory = temporary('crawl')
  let web: SmallWeb
  beforeAll(async () => {
    web = await SmallWeb.listen({ 'one.test': answer })
    const { code, stderr } = await orbweaver(['crawl', 'one.test:80/', ...web.flags, '--out', directory])
    expect(code, stderr).toBe(EXIT.done)
  })
  afterAll(() => web.close())

  it('is asked for each page once, in normal form, and never for what robots.txt forbids', () => {
    const numbers = CODING_NAMES.map((_, i) => i)
    expect(web.askedOf('one.test').sort()).toEqual(
      [
        ...[
          '/',
          '/foo',
          '/caf%C3%A9',
          '/a/b',
          '/x%3Fy',
          '/formula',
          '/cut',
          '/listed',
          '/maps.xml',
          '/map.xml',
        ],
        ...['/strict/%C3%BC', '/strict/%c3%bc'],
        ...numbers.flatMap(n => [`/coded/${n}`, `/from/${n}`]),
      ]
        .map(path => `one.test${path}`)
        .sort(),
    )
  })

  it('is read alike in every coding', async () => {
    const read = "SELECT DISTINCT text, title, content_truncated FROM pages WHERE title = 'coded'"
    const [row, ...others] = await rowsOf(directory, read)
    expect(others).toEqual([])
    expect(row).toMatchObject({ content_truncated: null })
    expect(String(row.text)).toContain(WORDS)
    expect(await rowsOf(directory, "SELECT count(*)::INT AS n FROM pages WHERE title = 'coded'")).toEqual([
      { n: CODING_NAMES.length },
    ])
  })

  it('has its formulas, and says what was cut', async () => {
    expect(await rowsOf(directory, "SELECT text FROM pages WHERE title = 'formula'")).toEqual([
      { text: 'Then E = m holds.' },
    ])
    const cut = "SELECT url FROM pages WHERE content_truncated = 'unspecified' AND outcome = 'OK'"
    expect(await rowsOf(directory, cut)).toEqual([{ url: 'http://one.test/cut' }])
  })

  it('is verified, and its tables are made again from the archive', async () => {
    expect((await checkWarcs(directory)).problems).toEqual([])
    expect((await orbweaver(['verify', directory])).code).toBe(EXIT.done)
    const all = 'SELECT url, outcome, title, text, content_truncated FROM pages ORDER BY url'
    const before = await rowsOf(directory, all)
    for (const file of filesIn(directory, 'tables/pages', /\.parquet$/)) rmSync(join(directory, file))
    expect((await orbweaver(['repair', directory])).code).toBe(EXIT.done)
    expect(await rowsOf(directory, all)).toEqual(before)
  })
})
