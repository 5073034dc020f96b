/**
 * A repair of a crawl whose ledger is in a real PostgreSQL.
 *
 * @module-tag deep
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../src/compose/index.js'
import { truth, WebPlan, WebServer } from '../../src/simulate/web/index.js'
import { checkWarcs, urlsWith } from '../kit/crawled.js'
import { blank, filesIn, flip, rowsOf } from '../kit/damage.js'
import { GENERATED, orbweaver, temporary } from '../kit/orbweaver.js'
import { PostgresServer } from '../kit/postgres.js'

const plan = new WebPlan({ sites: 3, pages: 60, seed: 31 })

describe('orbweaver repair with --ledger postgres://', () => {
  let postgres: PostgresServer
  let web: WebServer
  const asked: string[] = []

  beforeAll(async () => {
    postgres = await PostgresServer.start({})
    web = await WebServer.listen(plan, {
      clock: systemClock,
      port: 0,
      onServed: ({ site, target }) => asked.push(`http://${site}${target}`),
    })
  })
  afterAll(async () => {
    await web.close()
    await postgres.remove()
  })

  it('rebuilds tables, names the lost page, and resume fetches exactly that', async () => {
    const out = temporary('crawl')
    const place = ['--ledger', postgres.url(), '--name', 'damaged']
    expect((await orbweaver(['crawl', web.seed, ...GENERATED, ...place, '--out', out])).code).toBe(0)
    // The record of a page: the middle of the file may be a request or a robots.txt, which no page needs.
    const page = [...(await rowsOf(out)).pages.values()].find(({ outcome }) => outcome === 'OK')!
    const at = Number(page.warc_record_offset) + Math.floor(Number(page.warc_record_length) / 2)
    blank(out, String(page.warc_filename), at, 16)
    flip(out, filesIn(out, 'tables/pages', /\.parquet$/)[0], 0.5)
    const { code, stdout } = await orbweaver(['repair', out, '--json'])
    expect(code).toBe(14)
    const { lost } = JSON.parse(stdout) as { lost: string[] }
    expect(lost).toHaveLength(1)
    expect((await orbweaver(['verify', out])).code).toBe(0)
    asked.length = 0
    expect((await orbweaver(['resume', out])).code).toBe(0)
    expect(asked.filter(url => !url.endsWith('/robots.txt'))).toEqual(lost)
    expect((await urlsWith(out, 'OK')).sort()).toEqual([...truth(plan, web.authority)].sort())
    expect((await checkWarcs(out)).problems).toEqual([])
  })
})
