import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkWarcs, urlsWith } from '../kit/crawled.js'
import { orbweaver, start, temporary } from '../kit/orbweaver.js'
import { page, type Said, type SmallSite, SmallWeb } from '../kit/small-web.js'

const main = (path: string) => `http://main.test${path}`
const numbers = (count: number) => Array.from({ length: count }, (_, i) => i)
const urlset = (...urls: string[]) =>
  `<urlset>${urls.map(url => `<url><loc>${url}</loc></url>`).join('')}</urlset>`
const indexOf = (...urls: string[]) =>
  `<?xml version="1.0"?><sitemapindex>${urls.map(url => `<sitemap><loc>${url}</loc></sitemap>`).join('')}</sitemapindex>`
const xml = (body: string): Said => ({ type: 'application/xml', body })
const moved = (location: string): Said => ({ status: 301, headers: { location }, body: '' })
const text = (body: string): Said => ({ type: 'text/plain', body })

const CHILDREN = [
  'a.xml.gz',
  'feed.rss',
  'feed.atom',
  'list.txt',
  'loop',
  'gone.xml',
  'html',
  'nested.xml',
  'private/map.xml',
]
const SITEMAPS: Readonly<Record<string, Said>> = {
  '/index.xml': xml(indexOf(...CHILDREN.map(name => main(`/${name}`)))),
  '/a.xml.gz': {
    type: 'application/octet-stream',
    body: gzipSync(
      urlset(
        main('/gz/1'),
        main('/gz/2?a=1&amp;b=2'),
        'http://other.test/x',
        main('/private/x'),
        main('/skip/this'),
      ),
    ),
  },
  '/feed.rss': xml(
    `<rss><channel><link>${main('/no')}</link><item><link>${main('/rss/1')}</link></item></channel></rss>`,
  ),
  '/feed.atom': xml(`<feed><link href="/no"/><entry><link href="/atom/1"/></entry></feed>`),
  '/list.txt': text(`${main('/text/1')}\n${main('/text/2')}\n`),
  '/loop': moved('/index.xml'),
  '/html': { body: page('Soft', 'no such sitemap', ['/no']) },
  '/nested.xml': xml(indexOf(main('/deep.xml'), main('/moved.xml'))),
  '/deep.xml': xml(urlset(main('/deep/1'))),
  '/moved.xml': moved('http://cdn.test/moved-here.xml'),
}
const LISTED = [
  ...[
    '/gz/1',
    '/gz/2?a=1&b=2',
    '/rss/1',
    '/atom/1',
    '/text/1',
    '/text/2',
    '/deep/1',
    '/cdn/1',
    '/cdn/2',
    '/relative/1',
  ],
].map(main)
const LINKED = ['/', '/linked'].map(main)

const mainSite: SmallSite = path => {
  if (path === '/robots.txt')
    return text(
      `User-agent: *\nDisallow: /private/\nSitemap: ${main('/index.xml')}\nSitemap: http://cdn.test/maps/other.xml\nsitemap: /relative.txt\n`,
    )
  if (path === '/relative.txt') return text(main('/relative/1'))
  const sitemap = SITEMAPS[path]
  if (sitemap !== undefined) return sitemap
  if (path === '/') return page('Home', 'welcome', ['/linked'])
  return LISTED.includes(main(path)) || path === '/linked' || path === '/skip/this'
    ? page(path, `this is ${path}`)
    : null
}

/** Keeps sitemaps for somebody else, and has pages and a sitemap of its own. */
const cdn: SmallSite = path => {
  if (path === '/robots.txt') return text('User-agent: *\nSitemap: http://cdn.test/own.xml\n')
  if (path === '/maps/other.xml') return xml(urlset(main('/cdn/1'), 'http://cdn.test/page'))
  if (path === '/moved-here.xml') return xml(urlset(main('/cdn/2')))
  return path === '/own.xml' ? xml(urlset('http://cdn.test/page')) : page('Page', path)
}

interface Report {
  readonly pages: number
  readonly outcomes: Readonly<Record<string, number>>
  readonly troubledSites: readonly { site: string; code: string; detail: string }[]
}
const reportOf = (out: string) => JSON.parse(readFileSync(join(out, 'report.json'), 'utf8')) as Report

describe('sitemaps', () => {
  let web: SmallWeb
  beforeAll(async () => {
    web = await SmallWeb.listen({ 'main.test': mainSite, 'cdn.test': cdn })
  })
  afterAll(() => web.close())

  const crawl = async (...more: string[]) => {
    const out = temporary('crawl')
    web.asked.length = 0
    const end = await orbweaver(['crawl', main('/'), ...web.flags, '--out', out, ...more])
    expect(end.code, end.stderr).toBe(0)
    return out
  }

  it('of robots.txt are read, in every form, also from another host; they are archived and no pages', async () => {
    const out = await crawl('--exclude', '/skip/')
    const stored = (await urlsWith(out, 'OK')).sort()
    expect(stored).toEqual([...LINKED, ...LISTED].sort())
    const report = reportOf(out)
    expect(report.pages).toBe(stored.length)
    expect(report.outcomes).toMatchObject({
      SITEMAP: 10,
      SITEMAP_BAD: 1,
      HTTP_CLIENT_ERROR: 1,
      ROBOTS_DISALLOWED: 2,
      REDIRECT: 2,
    })
    // Asked for once each, nothing forbidden, and of the other host nothing but what was named.
    expect(new Set(web.asked).size).toBe(web.asked.length)
    expect(web.asked.filter(url => url.includes('/private/') || url.includes('/skip/'))).toEqual([])
    expect(web.askedOf('cdn.test').sort()).toEqual(['cdn.test/maps/other.xml', 'cdn.test/moved-here.xml'])
    const { problems, pages } = await checkWarcs(out)
    expect(problems).toEqual([])
    for (const url of ['/index.xml', '/a.xml.gz', '/list.txt']) expect(pages).toContain(main(url))
    expect(await urlsWith(out, 'SITEMAP')).toEqual([])
    expect(await urlsWith(out, 'SITEMAP_BAD')).toEqual([main('/html')])
  })

  it('take nothing of --max-pages', async () => {
    const out = temporary('crawl')
    const end = await orbweaver(['crawl', main('/'), ...web.flags, '--out', out, '--max-pages', '5'])
    expect(end.code, end.stderr).toBe(10)
    expect(await urlsWith(out, 'OK')).toHaveLength(5)
  })

  it('can be left alone, or named', async () => {
    expect((await urlsWith(await crawl('--sitemap', 'none'), 'OK')).sort()).toEqual(LINKED)
    const named = await crawl(
      '--sitemap',
      'none',
      '--sitemap',
      main('/list.txt'),
      '--sitemap',
      'http://cdn.test/maps/other.xml',
    )
    expect((await urlsWith(named, 'OK')).sort()).toEqual(
      [...LINKED, ...['/cdn/1', '/text/1', '/text/2'].map(main)].sort(),
    )
  })

  it('are not read where depth is limited, unless asked for; what they list is one step away', async () => {
    expect((await urlsWith(await crawl('--max-depth', '1'), 'OK')).sort()).toEqual(LINKED)
    const asked = await crawl('--max-depth', '1', '--sitemap', 'robots', '--exclude', '/skip/')
    expect((await urlsWith(asked, 'OK')).sort()).toEqual([...LINKED, ...LISTED].sort())
  })
})

describe('a crawl of sitemaps that is killed again and again', () => {
  it('finds what they list, each page once', async () => {
    const files = numbers(25)
    const site: SmallSite = path => {
      if (path === '/robots.txt') return text(`Sitemap: ${main('/index.xml')}\n`)
      if (path === '/index.xml') return xml(indexOf(...files.map(n => main(`/part-${n}.xml`))))
      const part = /^\/part-(\d+)\.xml$/.exec(path)
      if (part !== null) return xml(urlset(...numbers(6).map(i => main(`/p/${part[1]}/${i}`))))
      return page(path, `this is ${path}`)
    }
    const web = await SmallWeb.listen({ 'main.test': site }, 8)
    const out = temporary('crawl')
    let running = start(['crawl', main('/'), ...web.flags, '--out', out])
    for (const requests of [1, 2, 12, 40]) {
      const goal = web.asked.length + requests
      let hasEnded = false
      void running.ended.then(() => {
        hasEnded = true
      })
      while (web.asked.length < goal && !hasEnded) await new Promise(resolve => setTimeout(resolve, 2))
      running.process.kill('SIGKILL')
      await running.ended
      running = start(['resume', out])
    }
    const end = await running.ended
    await web.close()
    expect(end.code, end.stderr).toBe(0)
    const expected = [main('/'), ...files.flatMap(n => numbers(6).map(i => main(`/p/${n}/${i}`)))]
    expect((await urlsWith(out, 'OK')).sort()).toEqual(expected.sort())
    expect(reportOf(out).outcomes).toMatchObject({ SITEMAP: 26, OK: expected.length })
  }, 300_000)
})

it('a sitemap as long as the protocol allows is read to its end; a page as long is cut', {
  tags: 'deep',
}, async () => {
  const long = (end: string) => `<urlset><!--${'x'.repeat(40 * 1024 * 1024)}-->${end}</urlset>`
  const web = await SmallWeb.listen({
    'long.test': path => {
      if (path === '/robots.txt') return text('Sitemap: http://long.test/map.xml')
      if (path === '/map.xml') return xml(long('<url><loc>http://long.test/last</loc></url>'))
      return path === '/' ? page('Home', 'home', ['/page']) : path === '/page' ? long('') : page(path, 'page')
    },
  })
  const out = temporary('crawl')
  const end = await orbweaver(['crawl', 'http://long.test/', ...web.flags, '--out', out])
  await web.close()
  expect(end.code, end.stderr).toBe(0)
  expect(web.askedOf('long.test').toSorted()).toEqual(
    ['/', '/last', '/map.xml', '/page'].map(path => `long.test${path}`),
  )
  const cut = (await checkWarcs(out)).truncated
  expect(cut).toEqual(['http://long.test/page'])
})
