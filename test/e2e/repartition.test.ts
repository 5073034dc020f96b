/** Sites move between agents while the crawl runs, and nothing is lost or fetched twice on the way. */
import { expect, it } from 'vitest'
import type { Report } from '../../src/agent/index.js'
import { systemClock } from '../../src/compose/system.js'
import { truth, WebPlan, WebServer } from '../../src/simulate/web/index.js'
import { urlsWith } from '../kit/crawled.js'
import { GENERATED, orbweaver, temporary } from '../kit/orbweaver.js'

/** One large site, and small ones that wait behind it wherever a hash has put them. */
const SIZES = [200, ...Array.from({ length: 14 }, () => 25)]

it('a crawl by two agents with one lane each places its sites anew, and tells what that was to bring and what it brought', {
  timeout: 180_000,
}, async () => {
  const plan = new WebPlan({ sites: SIZES.length, pages: 550, sizes: SIZES, seed: 3 })
  const server = await WebServer.listen(plan, { clock: systemClock, port: 0 })
  const expected = [...truth(plan, server.authority)].sort()
  const out = temporary('crawl')
  const politely = GENERATED.map((flag, i) => (GENERATED[i - 1] === '--delay' ? '40' : flag))
  const flags = [
    '--agents',
    '2',
    '--lanes',
    '1',
    '--assign',
    'hypergraph',
    '--repartition',
    '1',
    '--out',
    out,
  ]
  const { code, stdout, stderr } = await orbweaver(['crawl', server.seed, ...politely, ...flags, '--json'])
  const repeats = server.counts().repeats
  await server.close()
  expect(code, stderr).toBe(0)
  const report = JSON.parse(stdout) as Report
  expect(report).toMatchObject({ pages: expected.length, coverage: 1, overlap: 0 })
  expect((await urlsWith(out, 'OK')).sort()).toEqual(expected)
  expect(repeats).toBe(0)
  const done = report.repartitions.filter(({ happened }) => happened !== null)
  expect(done.length).toBeGreaterThan(0)
  for (const { predicted, happened, isWorth } of done) {
    expect(isWorth).toBe(true)
    expect(predicted.gainMs).toBeGreaterThan(predicted.costMs)
    expect(happened!.forced).toBe(0)
  }
})
