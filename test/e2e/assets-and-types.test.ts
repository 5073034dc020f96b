import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTables } from '../../src/data/query/index.js'
import { checkWarcs, urlsWith } from '../kit/crawled.js'
import { orbweaver, temporary } from '../kit/orbweaver.js'
import { type Said, type SmallSite, SmallWeb } from '../kit/small-web.js'

const own = (path: string) => `http://own.test${path}`
const cdn = (path: string) => `http://cdn.test${path}`
const MOVED = 'http://img.test/here.png'

const HOME = `<!DOCTYPE html><title>home</title>
<link rel=stylesheet href=/style.css>
<link rel=icon href="${cdn('/icon.png')}">
<a href=/page>page</a> <a href=/paper.pdf>paper</a> <a href=/data>data</a> <a href=/plain.txt>text</a>
<a href="${cdn('/linked')}">a page of another host</a>
<img src=/one.png srcset="/one-2x.png 2x, ${cdn('/wide,1.webp')} 800w">
<picture><source srcset="${cdn('/dark.avif')} 1x"><img src="${cdn('/light.jpg')}"></picture>
<video src=/film.mp4 poster=/film.jpg><track src=/film.vtt></video>
<script src="${cdn('/code.js')}"></script>
<script>document.write('<img src=/from-script.png>')</script>
<!-- <img src=/from-comment.png> -->
<object data=/thing.svg></object>
<iframe src=/frame></iframe>
<form action=/search><input type=image src=/button.png></form>
<img src="${cdn('/moved.png')}"><img src="data:image/png;base64,AAAA"><img src="${cdn('/refused/pixel.gif')}">`

const LINKED = ['/', '/page', '/paper.pdf', '/data', '/plain.txt', '/frame'].map(own)
const REQUISITES = [
  ...['/style.css', '/one.png', '/one-2x.png', '/film.mp4', '/film.jpg', '/film.vtt'].map(own),
  ...['/thing.svg', '/button.png'].map(own),
  ...['/icon.png', '/wide,1.webp', '/dark.avif', '/light.jpg', '/code.js'].map(cdn),
  MOVED,
]

const TYPES: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.webp': 'image/webp',
  '.avif': 'image/avif',
  '.svg': 'image/svg+xml',
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.mp4': 'video/mp4',
  '.vtt': 'text/vtt',
  '.pdf': 'application/pdf; version=1.4',
  '.txt': 'text/plain; charset=utf-8',
}
const typeOf = (path: string) => TYPES[/\.\w+$/.exec(path)?.[0] ?? ''] ?? 'Text/HTML'

/** Whatever is asked for is there, in the type its name says; a style sheet names pictures of its own. */
const anything: SmallSite = (path): Said => {
  if (path === '/robots.txt') return { type: 'text/plain', body: 'User-agent: *\nDisallow: /refused/' }
  if (path === '/') return { type: 'text/html; charset=utf-8', body: HOME }
  if (path === '/style.css') return { type: 'text/css', body: 'body { background: url(/from-css.png) }' }
  if (path === '/moved.png') return { status: 302, headers: { location: MOVED }, body: '' }
  if (path === '/data') return { type: 'application/json', body: '{"href": "/not-a-link"}' }
  return { type: typeOf(path), body: `<img src=/on${path}.png><p>${path}` }
}

describe('--assets and --types', () => {
  let web: SmallWeb
  beforeAll(async () => {
    web = await SmallWeb.listen({ 'own.test': anything, 'cdn.test': anything, 'img.test': anything })
  })
  afterAll(() => web.close())

  const crawl = async (...more: string[]) => {
    const out = temporary('crawl')
    web.asked.length = 0
    const end = await orbweaver(['crawl', own('/'), ...web.flags, '--out', out, ...more])
    expect(end.code, end.stderr).toBe(0)
    const report = JSON.parse(readFileSync(join(out, 'report.json'), 'utf8'))
    return { out, report, stderr: end.stderr }
  }

  it('without --assets pages are fetched without what they are shown with, and nobody else is asked', async () => {
    const { out, report } = await crawl()
    expect((await urlsWith(out, 'OK')).sort()).toEqual([...LINKED].sort())
    expect(web.asked.filter(asked => asked.startsWith('cdn.test'))).toEqual([])
    expect(report.outcomes).toEqual({ OK: LINKED.length })
  })

  it('--assets fetches all a page is shown with, of any host; pages of other hosts stay out of scope', async () => {
    const { out, report } = await crawl('--assets')
    // What HTML pages of our own show in their turn; those of the other host are pictures.
    const shown = ['/page', '/frame'].map(path => own(`/on${path}.png`))
    const expected = [...LINKED, ...REQUISITES, ...shown].sort()
    expect((await urlsWith(out, 'OK')).sort()).toEqual(expected)
    expect(await urlsWith(out, 'ROBOTS_DISALLOWED')).toEqual([cdn('/refused/pixel.gif')])
    expect(report.outcomes).toEqual({ OK: expected.length, REDIRECT: 1, ROBOTS_DISALLOWED: 1 })
    expect(new Set(web.asked).size).toBe(web.asked.length)
    for (const path of ['from-script', 'from-comment', 'from-css', 'linked', 'search', 'not-a-link'])
      expect(web.asked.filter(asked => asked.includes(path))).toEqual([])
    const { problems, pages } = await checkWarcs(out)
    expect(problems).toEqual([])
    expect([...pages].sort()).toEqual(expected)
  })

  it('--types keeps what begins like one of them; of the rest there is an outcome and a head', async () => {
    const { out, report, stderr } = await crawl('--assets', '--types', 'text/html,image/')
    const kept = (url: string) => /^(?:Text\/HTML|image\/)/.test(typeOf(new URL(url).pathname))
    const shown = ['/page', '/frame'].map(path => own(`/on${path}.png`))
    const all = [...LINKED, ...REQUISITES, ...shown].filter(url => url !== own('/data'))
    const dropped = [...all.filter(url => !kept(url)), own('/data')].sort()
    expect((await urlsWith(out, 'OK')).sort()).toEqual(all.filter(kept).sort())
    expect((await urlsWith(out, 'TYPE_NOT_WANTED')).sort()).toEqual(dropped)
    expect(report.outcomes).toEqual({
      OK: all.filter(kept).length,
      TYPE_NOT_WANTED: dropped.length,
      REDIRECT: 1,
      ROBOTS_DISALLOWED: 1,
    })
    const { pages, headsOnly, problems } = await checkWarcs(out)
    expect(problems).toEqual([])
    expect([...headsOnly].sort()).toEqual(dropped)
    expect(pages.filter(url => !headsOnly.includes(url)).sort()).toEqual(all.filter(kept).sort())
    expect(stderr).toContain('content type not asked for (widen --types)')
    const details = report.troubledSites.filter(({ code }: { code: string }) => code === 'TYPE_NOT_WANTED')
    expect(details.map(({ site }: { site: string }) => site).sort()).toEqual(['cdn.test', 'own.test'])
    expect(details[0].detail).toMatch(/^content type "\w+\/\w+/)
  })

  it('objects that are no HTML are stored as they came, with their type in the table', async () => {
    const { out } = await crawl('--types', 'text/html,application/pdf,application/json,text/plain')
    const tables = await openTables(out)
    const rows: Record<string, unknown>[] = []
    const asked = `SELECT url, content_mime_type, fetch_status, warc_record_length FROM pages WHERE outcome = 'OK'`
    for await (const row of tables.query(asked)) rows.push(row)
    await tables.close()
    const types = Object.fromEntries(rows.map(row => [row.url, row.content_mime_type]))
    expect(types).toMatchObject({
      [own('/paper.pdf')]: 'application/pdf',
      [own('/data')]: 'application/json',
      [own('/plain.txt')]: 'text/plain',
      [own('/page')]: 'text/html',
    })
    for (const row of rows) expect(Number(row.warc_record_length)).toBeGreaterThan(0)
    expect([...(await checkWarcs(out)).pages].sort()).toEqual([...LINKED].sort())
  })
})
