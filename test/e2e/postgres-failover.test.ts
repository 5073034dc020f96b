/** The machine of the database is lost: its synchronous standby is promoted, found by the crawl, and nothing is missing. */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { systemClock } from '../../src/compose/system.js'
import { truth, WebPlan, WebServer } from '../../src/simulate/web/index.js'
import { checkWarcs, urlsWith } from '../kit/crawled.js'
import { GENERATED, start, temporary } from '../kit/orbweaver.js'
import { PostgresServer } from '../kit/postgres.js'

const plan = new WebPlan({ sites: 12, pages: 1_000, seed: 8 })
let primary: PostgresServer
let standby: PostgresServer
let web: WebServer

beforeAll(async () => {
  primary = await PostgresServer.start({ fsync: true })
  standby = await primary.addStandby()
  web = await WebServer.listen(plan, { clock: systemClock, port: 0 })
})
afterAll(async () => {
  await web.close()
  await primary.remove()
  await standby.remove()
})

it('a crawl goes on with a promoted standby, and ends with every page once', async () => {
  const out = temporary('crawl')
  const hosts = `127.0.0.1:${primary.port},127.0.0.1:${standby.port}`
  const crawl = start([
    'crawl',
    web.seed,
    ...GENERATED,
    '--rate',
    '250',
    '--out',
    out,
    '--name',
    'failover',
    '--ledger',
    `postgres://orbweaver@${hosts}/postgres`,
  ])
  while (web.counts().requests < 500) {
    expect(crawl.process.exitCode, crawl.said()).toBeNull()
    await sleep(20)
  }
  await primary.kill()
  await sleep(200)
  await standby.promote()
  const { code, stderr } = await crawl.ended
  expect(code, stderr).toBe(0)
  const expected = [...truth(plan, web.authority)].sort()
  expect((await urlsWith(out, 'OK')).sort()).toEqual(expected)
  const check = await checkWarcs(out)
  expect(check.problems).toEqual([])
  expect([...check.pages].sort()).toEqual(expected)
})
