/** Pages and hooks that throw: the crawl goes on, and says so. */
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

describe('hooks that throw', () => {
  it('cost what they were asked about, and are counted', async () => {
    const out = temporary('crawl')
    const folder = temporary('hooks')
    mkdirSync(folder)
    const hooks = join(folder, 'hooks.mjs')
    writeFileSync(
      hooks,
      `export const accept = url => { if (url.endsWith('/good')) throw new Error('not this one'); return true }
export const onPage = page => { if (page.url.endsWith('/x')) throw new TypeError('cannot be read') }`,
    )
    const end = await orbweaver(['crawl', ...seeds, ...web.flags, '--hooks', hooks, '--out', out])
    expect(end.code, end.stderr).toBe(0)
    expect(end.stderr).toContain('a hook threw an exception')
    expect((await urlsWith(out, 'OK')).sort()).toEqual(all.filter(url => !url.endsWith('/good')))
    const log = readFileSync(join(out, 'crawl.log'), 'utf8')
    expect(log).toMatch(/"event":"hook accept failed".*a\.test\/good.*Error: not this one.*hooks\.mjs/)
    expect(log).toMatch(/"event":"hook onPage failed".*d\.test\/x.*TypeError: cannot be read.*hooks\.mjs/)
  })
})
