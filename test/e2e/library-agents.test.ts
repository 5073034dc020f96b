import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ConfigError, type Crawl, type CrawlOptions, crawl, DirectoryBusyError, resume } from 'orbweaver'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../src/compose/index.js'
import { sleep } from '../../src/model/index.js'
import { urlsWith } from '../kit/crawled.js'
import { temporary } from '../kit/orbweaver.js'
import { page, SmallWeb } from '../kit/small-web.js'

const SITES = 4
const PAGES_PER_SITE = 120
const AGENTS = 4

describe('a loop over the pages of several agents', () => {
  let web: SmallWeb
  const names = Array.from({ length: SITES }, (_, site) => `s${site}.test`)
  const paths = Array.from({ length: PAGES_PER_SITE }, (_, number) => `/${number}`)
  const all = () => names.flatMap(name => paths.map(path => `http://${name}:${web.port}${path}`)).sort()
  beforeAll(async () => {
    const site = (path: string) => (paths.includes(path) ? page(`It is ${path}`, 'some text', paths) : null)
    web = await SmallWeb.listen(Object.fromEntries(names.map(name => [name, site])))
  })
  afterAll(() => web.close())

  const options = (out: string): CrawlOptions & { out: string } => ({
    seeds: names.map(name => `http://${name}:${web.port}/0`),
    scope: 'any',
    resolve: ['*.test=127.0.0.1'],
    delay: 0,
    agents: AGENTS,
    out,
  })
  const askedPages = () => web.asked.filter(entry => !entry.endsWith('/robots.txt')).length

  it('gives every page once, with text and body, from agents in threads', async () => {
    const crawling = crawl(options(temporary('crawl')))
    const urls: string[] = []
    for await (const { url, status, title, text, body, links } of crawling) {
      urls.push(url)
      const { pathname } = new URL(url)
      expect({ status, title, text }).toEqual({
        status: 200,
        title: `It is ${pathname}`,
        text: expect.stringContaining('some text'),
      })
      expect(links).toHaveLength(PAGES_PER_SITE)
      expect(Buffer.isBuffer(body)).toBe(true)
      expect(body.toString()).toBe(page(`It is ${pathname}`, 'some text', paths))
    }
    expect(urls.sort()).toEqual(all())
    const report = await crawling.report
    expect(report.finishReason).toBe('done')
    expect(report.agents).toHaveLength(AGENTS)
  })

  it('waits for a loop that is slow', { tags: 'deep' }, async () => {
    const before = askedPages()
    const crawling = crawl(options(temporary('crawl')))
    let most = 0
    for await (const _ of crawling) {
      if (most > 0) continue
      for (let last = -1; most !== last; await sleep(systemClock, 1_500)) {
        last = most
        most = askedPages() - before
      }
    }
    // What the loop holds, what each agent has sent ahead, and a page in the hands of every site.
    expect(most).toBeLessThanOrEqual(64 + AGENTS * 4 + SITES * 2 + 1)
    expect((await crawling.report).pages).toBe(SITES * PAGES_PER_SITE)
  })

  it.each(['break', 'throw'])(
    'stops when the loop is left by %s, and can be resumed at once',
    { tags: 'deep' },
    async how => {
      const out = temporary('crawl')
      const leave = async (crawling: Crawl) => {
        let seen = 0
        for await (const _ of crawling) {
          if (++seen < 10) continue
          if (how === 'throw') throw new RangeError('enough')
          break
        }
      }
      const first = crawl(options(out))
      if (how === 'throw') await expect(leave(first)).rejects.toThrow(RangeError)
      else await leave(first)
      expect((await first.report).finishReason).toBe('stopped')
      const second = resume(out)
      const urls: string[] = []
      for await (const { url } of second) urls.push(url)
      expect((await second.report).finishReason).toBe('done')
      expect(new Set(urls).size).toBe(urls.length)
      expect((await urlsWith(out, 'OK')).sort()).toEqual(all())
    },
  )

  it('stops when it is asked to, also when nobody takes the pages any more', async () => {
    const crawling = crawl(options(temporary('crawl')))
    const pages = crawling[Symbol.asyncIterator]()
    await pages.next()
    crawling.stop()
    expect((await crawling.report).finishReason).toBe('stopped')
  })

  it('gives its pages to one loop at a time', { tags: 'deep' }, async () => {
    const crawling = crawl(options(temporary('crawl')))
    for await (const _ of crawling) {
      await expect(crawling[Symbol.asyncIterator]().next()).rejects.toThrow('one loop at a time')
      break
    }
  })

  it('writes nothing for options that are wrong, and the same place can be used afterwards', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'orb-options-'))
    const out = join(folder, 'crawl')
    const broken = join(folder, 'broken.mjs')
    const empty = join(folder, 'empty.mjs')
    writeFileSync(broken, 'export const accept = (')
    writeFileSync(empty, 'export const other = 1')
    const wrong: readonly Record<string, unknown>[] = [
      { seeds: [] },
      { agents: 0 },
      { agents: 'many' },
      { guest: { accept: () => true } },
      { agents: 1, guest: { accept: 7 } },
      { agents: 1, guest: { onpage: () => {} } },
      { guest: join(folder, 'none.mjs') },
      { guest: broken },
      { guest: empty },
      { guest: empty, trusted: true },
      { guest: broken, trusted: true },
      { trusted: true },
      { keep: 'part' },
      { truth: join(folder, 'none') },
      { previous: join(folder, 'none') },
      { archive: 'paper' },
      { include: ['('] },
      { resolve: ['nonsense'] },
      { ledger: 'mysql://x/y' },
      { assign: 'phases', phases: ['nodes=0'] },
      { graph: ['rtt=1'] },
      { colour: 'red' },
    ]
    for (const some of wrong) {
      const run = async () => crawl({ ...options(out), ...some } as CrawlOptions).report
      await expect(run(), JSON.stringify(some)).rejects.toThrow(ConfigError)
      expect(readdirSync(folder).sort(), JSON.stringify(some)).toEqual(['broken.mjs', 'empty.mjs'])
    }
    expect((await crawl({ ...options(out), maxPages: 5 }).report).pages).toBe(5)
  })

  it('does not take over the directory of a crawl that is running, however empty its last report', {
    tags: 'deep',
  }, async () => {
    const first = crawl(options(temporary('crawl')))
    // As after a first run that got nothing, gone on with by `resume`.
    writeFileSync(join(first.directory, 'report.json'), JSON.stringify({ pages: 0, bytes: 0 }))
    expect(() => crawl(options(first.directory))).toThrow(DirectoryBusyError)
    expect((await first.report).pages).toBe(SITES * PAGES_PER_SITE)
  })

  it('refuses an object as the guest of several agents on resume too, before anything starts', {
    tags: 'deep',
  }, async () => {
    const out = temporary('crawl')
    await crawl({ ...options(out), maxPages: 5 }).report
    expect(() => resume(out, { guest: { accept: () => true } })).toThrow('put it into a module')
    expect((await resume(out).report).finishReason).toBe('limit')
  })
})
