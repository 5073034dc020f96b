/**
 * Crawls of versions that kept percent-escapes as written are resumed and repeated without losing or doubling
 * a page.
 *
 * @module-tag deep
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { EXIT } from '../../src/cli/exit/index.js'
import { checkWarcs } from '../kit/crawled.js'
import { orbweaver, temporary } from '../kit/orbweaver.js'
import type { SmallWeb } from '../kit/small-web.js'
import { PAGES, SEED, serveEscapes } from './escapes-web.js'
import { tablesOf } from './fixtures.js'
import { unpackFolder } from './packing.js'

/** Known to the old crawl: what it fetched, and what it left queued. */
const FETCHED = ['/%7eu/', '/%7eu/%66oo', '/%7eu/%62ar', '/%7eu/caf%c3%a9']
const QUEUED = [
  ...['/%7eu/%6beep', '/%7eu/keep', '/%7eu/two%2fparts', '/%7eu/last'],
  ...['/%7eu/bar', '/%7eu/foo', '/%7eu/new%2d1', '/%7eu/new-1', '/%7eu/new%2D2'],
]
/** Found by this version, and so in normal form. */
const NEW = ['/~u/baz', '/~u/two/parts']

async function done(...args: string[]): Promise<void> {
  const { code, stderr } = await orbweaver(args)
  expect(code, `${args.join(' ')}: ${stderr}`).toBe(EXIT.done)
}

async function pagesOf(directory: string): Promise<{ path: string; outcome: unknown }[]> {
  const { pages } = await tablesOf(directory)
  return pages.map(({ url, outcome }) => ({ path: String(url).slice('http://owl.test'.length), outcome }))
}

describe('a crawl whose URLs have other escapes', () => {
  let web: SmallWeb
  beforeAll(async () => {
    web = await serveEscapes()
  })
  afterAll(() => web.close())

  function oldCrawl(): string {
    const directory = temporary('escapes')
    unpackFolder(readFileSync(new URL('escapes.folder.gz', import.meta.url)), directory)
    return directory
  }

  it('is resumed: what is known under any spelling is not fetched under another', async () => {
    const directory = oldCrawl()
    expect((await pagesOf(directory)).map(({ path }) => path).sort()).toEqual([...FETCHED].sort())
    await orbweaver(['resume', directory, '--trust'])
    await done('set', directory, 'maxPages=')
    const before = web.asked.length
    await done('resume', directory)
    const asked = web.asked.slice(before).filter(entry => !entry.endsWith('/robots.txt'))
    expect(asked.sort()).toEqual([...QUEUED, ...NEW].map(path => `owl.test${path}`).sort())
    const found = await pagesOf(directory)
    expect(found).toEqual([...FETCHED, ...QUEUED, ...NEW].sort().map(path => ({ path, outcome: 'OK' })))
    expect((await checkWarcs(directory)).problems).toEqual([])
    await done('verify', directory)
    const files = temporary('files')
    await done('export', directory, '--to', 'files', '--out', files)
    const name = readdirSync(files, { recursive: true }).find(each => String(each).endsWith('last.html'))
    expect(readFileSync(join(files, String(name)), 'utf8')).not.toContain('http://owl.test/')
  })

  it('is repeated with --previous: every page once, in normal form', async () => {
    const [previous, directory] = [oldCrawl(), temporary('again')]
    const before = web.asked.length
    const flags = [...web.flags, '--scope', 'prefix', '--previous', previous, '--out', directory]
    await done('crawl', SEED, ...flags, '--trust')
    const asked = web.asked.slice(before).filter(entry => !entry.endsWith('/robots.txt'))
    expect(asked.map(entry => `http://${entry}`).sort()).toEqual([...PAGES].sort())
    const { pages } = await tablesOf(directory)
    expect(pages.map(({ url }) => url)).toEqual([...PAGES].sort())
    // Fetched anew where the URL had another spelling: a revisit record would name a URL that no archive has.
    expect((await checkWarcs(directory)).problems).toEqual([])
    await done('verify', directory)
  })
})
