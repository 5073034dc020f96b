/** Pages and guests that throw: the crawl goes on, and says so. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkWarcs, urlsWith } from '../kit/crawled.js'
import { orbweaver, temporary } from '../kit/orbweaver.js'
import { page, SmallWeb } from '../kit/small-web.js'

const HOSTS = ['a.test', 'b.test', 'c.test', 'd.test']
const ZEROS = '0'.repeat(256)
/** 298 bytes and less; each ended a crawl. */
const ODD: Readonly<Record<string, string>> = {
  '/rel': `<!doctype html><title>x</title><a rel="&#x${ZEROS};" href=x>`,
  '/title': `<title>&#${'0'.repeat(400)};</title>`,
  '/content': `<meta name=description content="&#x${'f'.repeat(256)};">`,
}
const PATHS = ['/', '/good', ...Object.keys(ODD), '/x']

let web: SmallWeb
beforeAll(async () => {
  const site = (path: string) =>
    ODD[path] ?? (PATHS.includes(path) ? page(path, `All about ${path}.`, PATHS) : null)
  web = await SmallWeb.listen(Object.fromEntries(HOSTS.map(host => [host, site])))
})
afterAll(() => web.close())

const seeds = HOSTS.map(host => `http://${host}/`)
const all = HOSTS.flatMap(host => PATHS.map(path => `http://${host}${path}`)).sort()

describe('pages with endless character references', () => {
  it.each([1, 3])('are crawled like any other by %i agents', async agents => {
    const out = temporary('crawl')
    const end = await orbweaver(['crawl', ...seeds, ...web.flags, '--agents', String(agents), '--out', out])
    expect(end.code, end.stderr).toBe(0)
    expect((await urlsWith(out, 'OK')).sort()).toEqual(all)
    const warcs = await checkWarcs(out)
    expect(warcs.problems).toEqual([])
    expect([...warcs.pages].sort()).toEqual(all)
  })
})

describe('a guest that throws', () => {
  it.each([[true], [false]])(
    'costs what it was asked about, and is counted (trusted: %s)',
    async isTrusted => {
      const out = temporary('crawl')
      const folder = temporary('guest')
      mkdirSync(folder)
      const guest = join(folder, 'guest.mjs')
      writeFileSync(
        guest,
        `export const accept = url => { if (url.endsWith('/good')) throw new Error('not this one'); return true }
export const extract = page => { if (page.url.endsWith('/x')) throw new TypeError('cannot be read') }`,
      )
      const end = await orbweaver([
        'crawl',
        ...seeds,
        ...web.flags,
        '--guest',
        guest,
        ...(isTrusted ? ['--trusted'] : []),
        '--out',
        out,
      ])
      expect(end.code, end.stderr).toBe(0)
      expect(end.stderr).toContain('the guest threw an exception')
      const fetched = all.filter(url => !url.endsWith('/good'))
      const [bad, good] = [
        fetched.filter(url => url.endsWith('/x')),
        fetched.filter(url => !url.endsWith('/x')),
      ]
      expect((await urlsWith(out, 'OK')).sort()).toEqual(good)
      expect((await urlsWith(out, 'GUEST_THREW')).sort()).toEqual(bad)
      expect([...(await checkWarcs(out)).pages].sort()).toEqual(fetched)
      const log = readFileSync(join(out, 'crawl.log'), 'utf8')
      expect(log).toMatch(/"event":"guest failed".*a\.test\/good.*accept: Error: not this one.*guest\.mjs/)
      expect(log).toMatch(
        /"event":"guest failed".*d\.test\/x.*extract: TypeError: cannot be read.*guest\.mjs/,
      )
    },
  )
})
