/** Sites move between agents while the crawl runs, and nothing is lost or fetched twice on the way. */
import { describe, expect, it } from 'vitest'
import type { Report } from '../../src/agent/index.js'
import { Rendezvous } from '../../src/assign/hash.js'
import { systemClock } from '../../src/compose/system.js'
import { openTables } from '../../src/query/index.js'
import { truth, WebPlan, WebServer } from '../../src/simulate/web/index.js'
import { urlsWith } from '../kit/crawled.js'
import { GENERATED, orbweaver, temporary } from '../kit/orbweaver.js'

/** A crawl by two agents that has brought every page of the web once and kept the delay of every site. */
async function crawled(sizes: readonly number[], port: number, delayMs: number, flags: readonly string[]) {
  const server = await WebServer.listen(planOf(sizes), { clock: systemClock, port })
  const expected = [...truth(server.plan, server.authority)].sort()
  const out = temporary('crawl')
  const politely = GENERATED.map((flag, i) => (GENERATED[i - 1] === '--delay' ? String(delayMs) : flag))
  const asked = ['--agents', '2', '--repartition', '1', ...flags, '--out', out, '--json']
  const { code, stdout, stderr } = await orbweaver(['crawl', server.seed, ...politely, ...asked])
  const repeats = server.counts().repeats
  await server.close()
  expect(code, stderr).toBe(0)
  const report = JSON.parse(stdout) as Report
  expect(report).toMatchObject({ pages: expected.length, coverage: 1, overlap: 0 })
  expect((await urlsWith(out, 'OK')).sort()).toEqual(expected)
  expect(repeats).toBe(0)
  expect(await hasty(out, delayMs)).toEqual([])
  return report
}

/** Pages that were asked for before the delay of their site was over, by the clock that both agents share. */
async function hasty(out: string, delayMs: number): Promise<string[]> {
  const before = 'lag(fetch_time) OVER (PARTITION BY url_host_name ORDER BY fetch_time)'
  const gaps = `SELECT url, epoch_ms(fetch_time) - epoch_ms(${before}) AS gap FROM pages WHERE fetch_status > 0`
  const tables = await openTables(out)
  try {
    const urls: string[] = []
    for await (const { url } of tables.query(`SELECT url FROM (${gaps}) WHERE gap < ${delayMs}`))
      urls.push(String(url))
    return urls
  } finally {
    await tables.close()
  }
}

function planOf(sizes: readonly number[]): WebPlan {
  const pages = sizes.reduce((sum, size) => sum + size, 0)
  return new WebPlan({ sites: sizes.length, pages, sizes, seed: 3 })
}

const SITES = 44
const LARGE_SITES = 18
const LARGE_PAGES = 40

/** A port that is free, and sizes of sites such that a hash by that port gives all large ones to one agent. */
async function onesided(): Promise<{ readonly port: number; readonly sizes: number[] }> {
  const plan = planOf(new Array<number>(SITES).fill(1))
  const server = await WebServer.listen(plan, { clock: systemClock, port: 0 })
  await server.close()
  const draw = new Rendezvous()
  const agent = { lanes: 1, freeLanes: 1, busyLanes: [], capacity: 1 }
  draw.meet(['agent-1', 'agent-2'].map((name, incarnation) => ({ ...agent, name, incarnation })))
  let large = 0
  const sizes = Array.from({ length: SITES }, (_, site) => {
    const isOfFirst = draw.winnerOf(server.authority(site))!.incarnation === 0
    return isOfFirst && large++ < LARGE_SITES ? LARGE_PAGES : 2
  })
  return { port: server.port, sizes }
}

describe('live repartition', () => {
  it('leased cells are asked back, stop, and go on elsewhere: every page once, and no delay cut short', {
    timeout: 300_000,
  }, async () => {
    const { port, sizes } = await onesided()
    // A third of the large sites are leased by the one agent at a time, half of them are too many for it.
    const report = await crawled(sizes, port, 150, ['--lanes', '6', '--assign', 'hypergraph'])
    const done = report.repartitions.filter(({ happened }) => happened !== null)
    const askedBack = done.reduce((sum, { happened }) => sum + happened!.askedBack, 0)
    expect(askedBack).toBeGreaterThan(0)
    for (const { predicted, happened, isWorth } of done) {
      expect(isWorth).toBe(true)
      expect(predicted.gainMs).toBeGreaterThan(predicted.relocationMs)
      // No link is in a table yet: the logs tell of them.
      expect(predicted.before.messagesPerPage).toBeGreaterThan(0)
      expect(happened!.movedSites).toBe(predicted.movedSites)
      expect(happened!.relocationMs > 0).toBe(happened!.askedBack > 0)
      expect(happened!.before!.pagesPerSecond).toBeGreaterThan(0)
      expect(happened!.after!.pagesPerSecond).toBeGreaterThan(0)
      expect(happened!.forced).toBe(0)
    }
  })

  it('a crawl by graph that began with nothing to go by gets its table on the way, and says so', {
    timeout: 300_000,
  }, async () => {
    // One large site, and small ones that wait behind it wherever a hash has put them.
    const sizes = [200, ...new Array<number>(14).fill(25)]
    const report = await crawled(sizes, 0, 40, ['--lanes', '1', '--assign', 'graph'])
    expect(report.repartitions.filter(({ happened }) => happened !== null).length).toBeGreaterThan(0)
    // What is in force is told, not what there was to go by at the start.
    expect(report.routing).toMatchObject({ parts: 2, madeAt: expect.any(String) })
  })
})
