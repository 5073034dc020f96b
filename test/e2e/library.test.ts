import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { ConfigError, crawl, DirectoryBusyError, type GuestPage, query, resume } from 'orbweaver'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../src/compose/index.js'
import { truth, WebPlan, WebServer } from '../../src/simulate/web/index.js'
import { orbweaver, temporary } from '../kit/orbweaver.js'
import { page, SmallWeb } from '../kit/small-web.js'

const root = fileURLToPath(new URL('../../', import.meta.url))
const run = promisify(execFile)
const tsx = (script: string, ...args: string[]) =>
  run(process.execPath, ['--import', 'tsx', `docs/examples/${script}`, ...args], { cwd: root })

describe('orbweaver as a library', () => {
  const plan = new WebPlan({ sites: 3, pages: 120, seed: 4 })
  let server: WebServer
  beforeAll(async () => {
    server = await WebServer.listen(plan, { clock: systemClock, port: 0 })
  })
  afterAll(() => server.close())
  const options = (out: string) => ({
    seeds: [server.seed],
    scope: 'any' as const,
    resolve: ['*.test=127.0.0.1'],
    delay: 0,
    out,
  })

  it('gives every page once, with its facts, and then the report', async () => {
    const crawling = crawl(options(temporary('crawl')))
    const urls: string[] = []
    for await (const page of crawling) {
      urls.push(page.url)
      expect(page.status).toBe(200)
      if (page.mime === 'text/html') {
        expect(page.title).not.toBe('')
        expect(page.text.length).toBeGreaterThan(100)
        expect(page.body.length).toBeGreaterThan(1_000)
      }
    }
    expect(urls.sort()).toEqual([...truth(plan, server.authority)].sort())
    expect((await crawling.report).finishReason).toBe('done')
  })

  it('asks its guest: accept keeps out, score orders, extract sees every page', async () => {
    const out = temporary('crawl')
    const seen: string[] = []
    const { report } = crawl({
      ...options(out),
      guest: {
        accept: (url: string) => !url.includes('/files/'),
        score: (url: string) => (url.includes('.html') ? 1 : 0),
        extract: (page: GuestPage) => void seen.push(page.url),
      },
    })
    const { pages } = await report
    const expected = [...truth(plan, server.authority)].filter(url => !url.includes('/files/'))
    expect(pages).toBe(expected.length)
    expect(seen.sort()).toEqual(expected.sort())
    const counted: unknown[] = []
    for await (const row of query(out, "SELECT count(*) AS n FROM pages WHERE url LIKE '%/files/%'"))
      counted.push(row.n)
    expect(counted.map(Number)).toEqual([0])
  })

  it('stops when the loop is left, and can be resumed', async () => {
    const out = temporary('crawl')
    const crawling = crawl(options(out))
    let count = 0
    for await (const _ of crawling) if (++count === 20) break
    expect((await crawling.report).finishReason).toBe('stopped')
    const resumed = resume(out)
    for await (const _ of resumed) if (++count === 40) break
    expect((await resumed.report).finishReason).toBe('stopped')
    const rest = await orbweaver(['resume', out, '--json'])
    expect(rest.code, rest.stderr).toBe(0)
    expect(JSON.parse(rest.stdout).pages).toBe([...truth(plan, server.authority)].length)
  })

  it('gives its pages to the loop also when the guest is a module', async () => {
    const out = temporary('crawl')
    mkdirSync(out)
    const guest = join(out, 'guest.mjs')
    writeFileSync(guest, "export const accept = url => !url.includes('/files/')")
    const urls: string[] = []
    for await (const page of crawl({ ...options(join(out, 'crawl')), guest })) urls.push(page.url)
    const expected = [...truth(plan, server.authority)].filter(url => !url.includes('/files/'))
    expect(urls.sort()).toEqual(expected.sort())
  })

  it('refuses a directory that is in use with an error of its own', async () => {
    const first = crawl(options(temporary('crawl')))
    expect(() => resume(first.directory)).toThrow(DirectoryBusyError)
    first.stop()
    await first.report
    const second = resume(first.directory)
    expect((await second.report).finishReason).toBe('done')
  })

  it('throws a ConfigError of one line for bad options', () => {
    expect(() => crawl({ seeds: ['nonsense'] })).toThrow(ConfigError)
    expect(() => crawl({ seeds: ['http://localhost/'] })).toThrow('--allow-private')
  })

  it('has examples that compile and run', { tags: 'deep' }, async () => {
    const out = temporary('crawl')
    const env = { ORBWEAVER_RESOLVE: '*.test=127.0.0.1' }
    const end = await orbweaver(
      [
        'crawl',
        server.seed,
        '--scope',
        'any',
        '--delay',
        '0',
        '--out',
        out,
        '--guest',
        `${root}docs/examples/health-care.ts`,
        '--trusted',
      ],
      env,
      root,
    )
    expect(end.code, end.stderr).toBe(0)
    expect((await tsx('ask.ts', out)).stdout).toContain('s00.test')
    const links = ['/a', '/b', '/c']
    const web = await SmallWeb.listen({
      localhost: path => page(`It is ${path}`, 'text', path === '/' ? links : []),
    })
    const seed = `http://localhost:${web.port}/`
    const pages = await tsx('pages.ts', seed, temporary('x'))
    const agents = await tsx('agents.ts', seed, temporary('x'))
    await web.close()
    expect(agents.stdout).toContain(`first ${seed}\n`)
    expect(agents.stdout).toContain('4 pages by 4 agents, done')
    expect(pages.stdout).toContain('"It is /a"')
    expect(pages.stdout).toContain('4 pages, done')
    const refused = await tsx('pages.ts', 'http://127.0.0.1:1/', temporary('x')).catch(error => error)
    expect(refused.stderr).toContain('--allow-private')
  })
})
