/** Guests: what a verdict keeps, rows of a guest, and a guest that fails. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { crawl, defineGuest, type Facts, query } from 'orbweaver'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkWarcs } from '../kit/crawled.js'
import { orbweaver, temporary } from '../kit/orbweaver.js'
import { SmallWeb } from '../kit/small-web.js'

const PAGES: Readonly<Record<string, string>> = {
  '/': '<title>Home</title><p>Nothing of interest.<a href=/flu>a</a><a href=/shop>b</a><a href=/odd>c</a><a href=http://else.test/>e</a>',
  '/flu':
    '<title>Flu</title><p>Flu is an illness.</p><p>Roses are red.</p><p>A vaccine helps.</p><a href=/deep>d</a>',
  '/deep': '<title>Deep</title><p>The FLU again, and fluent speech.</p>',
  '/shop':
    '<title>Shop</title><div class=item><b>Tea</b> <i data-cents=250>2.50</i></div><div class=item><b>Cup</b> <i data-cents=900>9</i></div>',
  '/odd': '<title>Odd</title><p>What is this?</p>',
}

let web: SmallWeb
beforeAll(async () => {
  web = await SmallWeb.listen({ 'a.test': path => PAGES[path] ?? null })
})
afterAll(() => web.close())

const SEED = 'http://a.test/'
type Row = Readonly<Record<string, unknown>>

async function rowsOf(directory: string, sql: string): Promise<Row[]> {
  const rows: Row[] = []
  for await (const row of query(directory, sql)) rows.push(row)
  return rows
}

function guestFile(code: string, name = 'reader.js'): string {
  const folder = temporary('guest')
  mkdirSync(folder)
  writeFileSync(join(folder, name), code)
  return join(folder, name)
}

async function crawled(...args: string[]): Promise<string> {
  const out = temporary('crawl')
  const end = await orbweaver(['crawl', SEED, ...web.flags, '--out', out, ...args])
  expect(end.code, end.stderr).toBe(0)
  return out
}

const keptIn = async (out: string) =>
  Object.fromEntries(
    (await rowsOf(out, "SELECT url, kept FROM pages WHERE url NOT LIKE '%robots%'")).map(({ url, kept }) => [
      String(url).slice(SEED.length - 1),
      kept,
    ]),
  )

describe('keywords', () => {
  it('keep the pages that have them; links of the others are followed all the same', async () => {
    const out = await crawled('--keywords', 'flu,vaccine')
    expect(await keptIn(out)).toEqual({
      '/': 'none',
      '/flu': 'page',
      '/deep': 'page',
      '/shop': 'none',
      '/odd': 'none',
    })
    const none = await rowsOf(
      out,
      "SELECT title, text, outcome, warc_filename, outlinks FROM pages WHERE url = 'http://a.test/'",
    )
    expect(none).toEqual([{ title: null, text: null, outcome: 'OK', warc_filename: null, outlinks: 0 }])
    expect(await rowsOf(out, 'SELECT url FROM links')).toEqual([])
    const warcs = await checkWarcs(out)
    expect(warcs.problems).toEqual([])
    expect([...warcs.pages].sort()).toEqual(['http://a.test/deep', 'http://a.test/flu'])
    expect((await orbweaver(['verify', out])).code).toBe(0)
  })

  it('of which a page has too few are not enough', async () => {
    const out = await crawled('--keywords', 'flu,vaccine', '--min-keywords', '3', '--keep', 'meta')
    expect(await keptIn(out)).toMatchObject({ '/flu': 'meta', '/deep': 'none' })
    const [row] = await rowsOf(out, "SELECT title, text, warc_filename FROM pages WHERE kept = 'meta'")
    expect(row).toEqual({ title: 'Flu', text: null, warc_filename: null })
  })

  it('with --keep part keep the paragraphs that have them, as a conversion record', async () => {
    const out = await crawled('--keywords', 'illness,vaccine', '--keep', 'part')
    const rows = await rowsOf(
      out,
      "SELECT text, warc_filename IS NOT NULL AS archived FROM pages WHERE kept = 'part'",
    )
    expect(rows).toEqual([{ text: 'Flu is an illness.\nA vaccine helps.', archived: true }])
    expect((await checkWarcs(out)).problems).toEqual([])
    expect((await orbweaver(['verify', out])).code).toBe(0)
    const files = temporary('files')
    expect((await orbweaver(['export', out, '--to', 'files', '--out', files])).code).toBe(0)
  })
})

const SHOP = `
export const schema = { properties: { name: { type: 'string' }, cents: { type: 'number' }, cheap: { type: 'boolean' }, tags: {} }, required: ['name'] }
export const select = ({ url }) => (url.endsWith('/shop') ? 'text' : 'none')
export const extract = page => page.find('div.item').map(item => ({
  name: item.find('b')[0].text, cents: Number(item.find('i')[0].attribute('data-cents')),
  cheap: item.find('i')[0].attribute('data-cents') < 500, tags: ['x', { y: 1 }] }))
`

describe('a sandboxed guest', () => {
  it('extracts rows, which are a table under both names', async () => {
    const out = await crawled('--guest', guestFile(SHOP, 'products.js'))
    const expected = [
      {
        page_url: 'http://a.test/shop',
        page_row: 0,
        name: 'Tea',
        cents: 250,
        cheap: true,
        tags: '["x",{"y":1}]',
      },
      {
        page_url: 'http://a.test/shop',
        page_row: 1,
        name: 'Cup',
        cents: 900,
        cheap: false,
        tags: '["x",{"y":1}]',
      },
    ]
    expect(await rowsOf(out, 'SELECT * FROM items ORDER BY page_row')).toEqual(expected)
    expect(await rowsOf(out, 'SELECT count(*) AS n FROM products')).toEqual([{ n: 2 }])
    expect((await orbweaver(['verify', out])).code).toBe(0)
  })

  it('in TypeScript keeps a part, rates links, and continues after it failed', async () => {
    const code = `import { defineGuest, type Facts } from 'orbweaver'
let seen: number = 0
export default defineGuest<Facts>({
  accept: (url: string) => !url.endsWith('/shop'),
  filter(page) {
    if (page.url.endsWith('/odd')) for (;;);
    if (page.url.endsWith('/flu')) throw new Error('no flu')
    seen++
    return page.find('p').map(p => p.html).join('')
  },
})`
    const out = await crawled('--guest', guestFile(code, 'part.ts'))
    const rows = await rowsOf(out, 'SELECT url, outcome, kept FROM pages ORDER BY url')
    expect(rows).toEqual([
      { url: 'http://a.test/', outcome: 'OK', kept: 'part' },
      { url: 'http://a.test/deep', outcome: 'OK', kept: 'part' },
      { url: 'http://a.test/flu', outcome: 'GUEST_THREW', kept: null },
      { url: 'http://a.test/odd', outcome: 'GUEST_TIMEOUT', kept: null },
    ])
    const warcs = await checkWarcs(out)
    expect(warcs.problems).toEqual([])
    expect([...warcs.pages].sort()).toEqual(['http://a.test/flu', 'http://a.test/odd'])
    expect(readFileSync(join(out, 'crawl.log'), 'utf8')).toMatch(/"event":"guest failed".*\/flu.*no flu/)
  })

  it.each([
    ['export const select = 7', 'select is not a function'],
    ['export const select = (', 'SyntaxError'],
    ["import fs from 'node:fs'\nexport const select = () => 'page'", 'cannot import \\"node:fs\\"'],
    ['export const other = 1', 'it has none of select'],
    ['for (;;);', 'ms'],
  ])('that cannot be used (%s) is refused before anything is written', async (code, message) => {
    const out = temporary('crawl')
    const end = await orbweaver(['crawl', SEED, ...web.flags, '--out', out, '--guest', guestFile(code)])
    expect(end.code).toBe(4)
    expect(end.stderr.trimEnd().split('\n').at(-1)).toContain(message.replaceAll('\\', ''))
    expect(() => readFileSync(join(out, 'crawl.json'))).toThrow('ENOENT')
  })
})

describe('a guest of the library', () => {
  it('runs in this process, with its types, and may be asynchronous', async () => {
    const out = temporary('crawl')
    interface Title {
      [key: string]: string
      title: string
    }
    const guest = defineGuest<Facts<'flu'>, Title>({
      select: ({ counts }) => (counts.flu > 0 ? 'meta' : 'links'),
      extract: async page => [{ title: page.title }],
    })
    const options = { seeds: [SEED], resolve: [`*.test=127.0.0.1:${web.port}`], delay: 0, out }
    await crawl({ ...options, keywords: ['flu'], guest }).report
    expect(await rowsOf(out, 'SELECT title FROM items ORDER BY title')).toEqual(
      ['Deep', 'Flu', 'Home', 'Odd', 'Shop'].map(title => ({ title })),
    )
    expect(await keptIn(out)).toMatchObject({ '/flu': 'meta', '/odd': 'links' })
  })
})

describe('guest try', () => {
  it('shows verdict and rows of a page, from the network or from a crawl, and stores nothing', async () => {
    const file = guestFile(SHOP, 'products.js')
    const resolve = web.flags[web.flags.indexOf('--resolve') + 1]
    const tried = async (source: string) => {
      const end = await orbweaver(['guest', 'try', file, source, '--resolve', resolve, '--pages', '9'])
      expect(end.code, end.stderr).toBe(0)
      return end.stdout
    }
    const out = await crawled()
    const [fetched, archived] = await Promise.all([tried('http://a.test/shop'), tried(out)])
    expect(fetched).toContain('"name":"Tea"')
    expect(fetched).toContain('"name":"Cup"')
    expect(archived).toContain('http://a.test/deep')
    expect(archived).toContain('"name":"Tea"')
  })

  it('says in one line what is missing', async () => {
    const { code, stderr } = await orbweaver(['guest', 'try', guestFile(SHOP), '/nowhere'])
    expect(code).toBe(4)
    expect(stderr).toBe('orbweaver: there is no file /nowhere; a URL begins with https://\n')
  })
})
