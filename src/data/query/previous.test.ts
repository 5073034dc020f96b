import { afterEach, expect, it } from 'vitest'
import { MADE_AT, MadeCrawl } from '../../../test/kit/made-crawl.js'
import { type PreviousPage, previousPages } from './previous.js'

const made: MadeCrawl[] = []

afterEach(async () => {
  for (const crawl of made.splice(0)) await crawl.remove()
})

async function all(dir: string, ...part: number[]): Promise<PreviousPage[]> {
  const pages: PreviousPage[] = []
  for await (const page of previousPages(dir, ...part)) pages.push(page)
  return pages
}

it('gives every URL once, with its validators and the links of its page', async () => {
  const crawl = new MadeCrawl()
  made.push(crawl)
  await crawl.add([
    {
      url: 'http://b.test/',
      body: 'b',
      headers: { etag: '"e"', 'last-modified': 'Sat, 31 Jan 2026 11:00:00 GMT' },
      links: ['http://z.test/2', 'http://z.test/1'],
    },
    { url: 'http://a.test/x', status: 0, outcome: 'DNS_NOT_FOUND' },
  ])
  await crawl.add([
    { url: 'http://c.test/', body: 'c' },
    { url: 'http://c.test/deep', body: 'd', links: ['http://a.test/'] },
  ])
  await crawl.finish()
  const pages = await all(crawl.dir)
  expect(pages.map(page => [page.url, page.outcome, page.links.length])).toEqual([
    ['http://a.test/x', 'DNS_NOT_FOUND', 0],
    ['http://b.test/', 'OK', 2],
    ['http://c.test/', 'OK', 0],
    ['http://c.test/deep', 'OK', 1],
  ])
  expect(pages[1]).toEqual({
    url: 'http://b.test/',
    depth: 1,
    outcome: 'OK',
    etag: '"e"',
    lastModified: 'Sat, 31 Jan 2026 11:00:00 GMT',
    digest: expect.stringMatching(/^sha1:[A-Z2-7]{32}$/),
    mime: 'text/html',
    storedAt: new Date(MADE_AT).toISOString(),
    isWhole: true,
    links: expect.arrayContaining(['http://z.test/1 anchor', 'http://z.test/2 anchor']),
  })
  expect(pages[0]).toMatchObject({ etag: '', digest: '', storedAt: '', isWhole: false, links: [] })
})

it('takes the stored copy where a URL has several rows', async () => {
  const crawl = new MadeCrawl()
  made.push(crawl)
  const url = 'http://a.test/'
  await crawl.add([
    { url, body: 'old', fetchedAt: MADE_AT },
    { url, body: 'new', fetchedAt: MADE_AT + 1_000 },
    { url, status: 0, outcome: 'TOO_DEEP', fetchedAt: MADE_AT + 2_000 },
  ])
  expect(await all(crawl.dir)).toMatchObject([{ outcome: 'OK', storedAt: '2026-01-31T12:00:01.123Z' }])
})

it('can be left early', async () => {
  const crawl = new MadeCrawl()
  made.push(crawl)
  await crawl.add(
    Array.from({ length: 5_000 }, (_, i) => ({
      url: `http://a.test/${i}`,
      body: 'x',
      links: ['http://b.test/'],
    })),
  )
  let seen = 0
  for await (const _ of previousPages(crawl.dir)) if (++seen === 10) break
  expect(seen).toBe(10)
})

it.each([
  ['many portions', []],
  ['many parts', [1_000]],
])('keeps links with their pages over %s', async (_, part) => {
  const crawl = new MadeCrawl()
  made.push(crawl)
  const links = (i: number) => Array.from({ length: i % 4 }, (_, n) => `http://t.test/${i}/${n}`)
  await crawl.add(
    Array.from({ length: 6_000 }, (_, i) => ({ url: `http://a.test/${i}`, body: 'x', links: links(i) })),
  )
  await crawl.finish()
  const pages = await all(crawl.dir, ...part)
  expect(pages).toHaveLength(6_000)
  expect(new Set(pages.map(page => page.url)).size).toBe(6_000)
  for (const page of pages) {
    const number = Number(page.url.slice(14))
    expect([...page.links].sort()).toEqual(
      links(number)
        .map(target => `${target} anchor`)
        .sort(),
    )
  }
})
