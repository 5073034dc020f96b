/**
 * What a user is shown of a crawl is true: after a resume, with limits, after Ctrl-C.
 *
 * @module-tag deep
 */
import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTables } from '../../src/data/query/index.js'
import { orbweaver, start, temporary } from '../kit/orbweaver.js'
import { page, SmallWeb } from '../kit/small-web.js'

const PAGES = 600
const FIRST_RUN = 200
const LIMIT = 230

describe('the figures of a crawl', () => {
  let web: SmallWeb
  const paths = Array.from({ length: PAGES }, (_, number) => `/${number}`)
  beforeAll(async () => {
    const site = (path: string) => (paths.includes(path) ? page(`It is ${path}`, 'text', paths) : null)
    web = await SmallWeb.listen({ 'one.test': site })
  })
  afterAll(() => web.close())

  const rowsOf = async (out: string, sql: string) => {
    const tables = await openTables(out)
    try {
      const rows = []
      for await (const row of tables.query(sql)) rows.push(row)
      return rows
    } finally {
      await tables.close()
    }
  }

  it('after a resume: the speed is of now, the bar of --max-pages, the queue of all that is left', async () => {
    const out = temporary('crawl')
    const limited = ['--max-pages', String(FIRST_RUN), '--out', out]
    const first = await orbweaver(['crawl', 'http://one.test/0', ...web.flags, ...limited])
    expect(first.code, first.stderr).toBe(10)
    expect((await orbweaver(['set', out, `maxPages=${LIMIT}`, 'delay=1000'])).code).toBe(0)
    const resumed = start(['resume', out])
    while (!/ pages · /.test(resumed.said())) await once(resumed.process.stderr!, 'data')
    resumed.process.kill('SIGINT')
    const end = await resumed.ended
    expect(end.code, end.stderr).toBe(11)
    const line = end.stderr.split('\n').find(text => text.includes(' pages · '))!
    const [, bar, pages, speed, queued] = /^\[(#*)-*\] (\d+) pages · ([\d.]+)\/s · (\d+) queued/.exec(line)!
    expect(Number(pages)).toBeGreaterThanOrEqual(FIRST_RUN)
    // A page a second is what --delay allows.
    expect(Number(speed)).toBeLessThan(3)
    expect(Number(speed)).toBeGreaterThan(0)
    expect(bar.length).toBe(Math.round((20 * Number(pages)) / LIMIT))
    expect(Number(queued)).toBeGreaterThanOrEqual(PAGES - LIMIT)
  })

  it('pages of a site are those that were fetched, not those that a limit or robots.txt refused', async () => {
    const out = temporary('crawl')
    const flags = [...web.flags, '--max-pages-per-site', '7', '--out', out, '--json']
    const end = await orbweaver(['crawl', 'http://one.test/0', ...flags])
    expect(end.code, end.stderr).toBe(0)
    const report = JSON.parse(end.stdout)
    expect(report.outcomes).toEqual({ OK: 7, SITE_PAGE_LIMIT: PAGES - 7 })
    const sql = 'SELECT site, pages, fetched, refused FROM sites'
    expect(await rowsOf(out, sql)).toEqual([{ site: 'one.test', pages: 7, fetched: 7, refused: PAGES - 7 }])
    expect(end.stderr).toContain('raise --max-pages-per-site')
  })
})
