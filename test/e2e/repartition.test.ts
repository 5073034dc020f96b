/**
 * Sites move between agents while the crawl runs, and nothing is lost or fetched twice on the way.
 *
 * @module-tag deep
 */
import { describe, expect, it } from 'vitest'
import { systemClock } from '../../src/compose/index.js'
import { openTables } from '../../src/data/query/index.js'
import type { Report } from '../../src/report/index.js'
import { truth, WebPlan, WebServer } from '../../src/simulate/web/index.js'
import { urlsWith } from '../kit/crawled.js'
import { onesided } from '../kit/onesided.js'
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
  expect(report).toMatchObject({ pages: expected.length, queued: 0, overlap: 0 })
  // Of those that a crawl before knew, some have not changed since.
  const brought = [...(await urlsWith(out, 'OK')), ...(await urlsWith(out, 'NOT_MODIFIED'))]
  expect(brought.sort()).toEqual(expected)
  expect(repeats).toBe(0)
  expect(await hasty(out, delayMs)).toEqual([])
  return { report, out, port: server.port }
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

/** One site that weighs as much as all others together. */
const SITES = 21
const HEAVY = 2 * (SITES - 1)
const sizesWith = (pages: number) => [HEAVY, ...new Array<number>(SITES - 1).fill(pages)]

describe('live repartition', () => {
  it('leased cells are asked back, stop, and go on elsewhere: every page once, and no delay cut short', {
    timeout: 300_000,
  }, async () => {
    // By what the first crawl learned, one agent has the heavy site and the other all that are light.
    const first = await crawled(sizesWith(2), 0, 0, ['--lanes', '6', '--assign', 'hash'])
    // They have grown since. A third of them is leased at a time; half of them would be enough for one agent.
    const flags = ['--lanes', '6', '--assign', 'hypergraph', '--previous', first.out]
    const { report } = await crawled(sizesWith(40), first.port, 150, flags)
    const done = report.repartitions.filter(({ happened }) => happened !== null)
    const askedBack = done.reduce((sum, { happened }) => sum + happened!.askedBack, 0)
    expect(askedBack).toBeGreaterThan(0)
    expect(Math.max(...done.map(({ predicted }) => predicted.before.messagesPerPage))).toBeGreaterThan(0)
    expect(Math.max(...done.map(({ happened }) => happened!.after?.pagesPerSecond ?? 0))).toBeGreaterThan(0)
    for (const { predicted, happened, isWorth } of done) {
      expect(isWorth).toBe(true)
      expect(predicted.gainMs).toBeGreaterThan(predicted.relocationMs)
      expect(happened!.movedSites).toBe(predicted.movedSites)
      expect(happened!.relocationMs > 0).toBe(happened!.askedBack > 0)
      expect(happened!.before!.seconds).toBeGreaterThan(0)
      expect(happened!.forced).toBe(0)
    }
  })

  it('a crawl by graph that began with nothing to go by gets its table on the way, and says so', {
    timeout: 300_000,
  }, async () => {
    const { port, sizes } = await onesided(SITES)
    const { report } = await crawled(sizes, port, 60, ['--lanes', '1', '--assign', 'graph'])
    const done = report.repartitions.filter(({ happened }) => happened !== null)
    expect(done.length).toBeGreaterThan(0)
    // No link is in a table yet: the logs tell of them.
    expect(Math.max(...done.map(({ predicted }) => predicted.before.messagesPerPage))).toBeGreaterThan(0)
    // What is in force is told, not what there was to go by at the start.
    expect(report.routing).toMatchObject({ parts: 2, madeAt: expect.any(String) })
  })
})
