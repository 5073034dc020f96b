/**
 * Assignments, giant sites and live repartition on PostgreSQL: the same crawl on the same agents, whatever
 * the ledger.
 *
 * @module-tag deep
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { systemClock } from '../../src/compose/index.js'
import type { Report } from '../../src/report/index.js'
import { type ServedRequest, truth, WebPlan, WebServer } from '../../src/simulate/web/index.js'
import { ClusterWeb } from '../kit/cluster-web.js'
import { urlsWith } from '../kit/crawled.js'
import { onesided } from '../kit/onesided.js'
import { GENERATED, orbweaver, temporary } from '../kit/orbweaver.js'

/** One site is a giant, by pages as well as by bytes. */
const SIZES = [150, ...Array.from({ length: 11 }, () => 10)]

let cluster: ClusterWeb
let learned: string
let served: ServedRequest[] = []
let crawls = 0

beforeAll(async () => {
  const plan = new WebPlan({ sites: SIZES.length, pages: 260, sizes: SIZES, seed: 6 })
  cluster = await ClusterWeb.start(plan, each => served.push(each))
  learned = (await crawl('--assign', 'hash')).out
}, 120_000)
afterAll(() => cluster.close())

/** By two agents; every page is stored, and was asked for once. */
async function crawl(...flags: string[]): Promise<{ report: Report; out: string }> {
  const out = temporary('crawl')
  served = []
  const usual = ['--agents', '2', '--lanes', '8', '--sitemap', 'none', '--archive', 'none', '--json']
  const place = [...cluster.named(`crawl-${++crawls}`), '--out', out]
  const { code, stdout, stderr } = await orbweaver([
    'crawl',
    cluster.web.seed,
    ...GENERATED,
    ...usual,
    ...flags,
    ...place,
  ])
  expect(code, stderr).toBe(0)
  const report = JSON.parse(stdout) as Report
  expect(report).toMatchObject({ coverage: 1, overlap: 0, sites: SIZES.length })
  const stored = [...(await urlsWith(out, 'OK')), ...(await urlsWith(out, 'NOT_MODIFIED'))]
  expect(stored.sort()).toEqual(cluster.expected)
  const asked = served
    .filter(({ target }) => target !== '/robots.txt')
    .map(({ site, target }) => site + target)
  expect(asked.filter((url, i) => asked.indexOf(url) !== i)).toEqual([])
  return { report, out }
}

const isSplit = { routing: { parts: 2, splitSites: [{ cells: 5, parts: 2 }], heavySites: [] } }

it.each([
  ['static-random', [], { routing: null }],
  ['static-size', [], { routing: null }],
  ['graph', [], isSplit],
  ['hybrid', [], isSplit],
  ['hypergraph', ['--split-sites', 'off'], { routing: { parts: 2, splitSites: [] } }],
] as const)('%s %s stores every page once', { timeout: 120_000 }, async (assign, flags, expected) => {
  const { report } = await crawl('--assign', assign, '--previous', learned, ...flags)
  expect(report).toMatchObject(expected)
  expect(report.agents.filter(({ pages }) => pages > 0)).toHaveLength(2)
})

it('a site that turns out to be a giant is split on the way, and every page of it stored once', {
  timeout: 120_000,
}, async () => {
  const { report, out } = await crawl('--assign', 'hash', '--split-sites', '30')
  expect(readFileSync(join(out, 'crawl.log'), 'utf8')).toContain('"event":"site split"')
  const [first, second] = report.agents.map(({ pages }) => pages)
  expect(Math.min(first, second)).toBeGreaterThan(0)
})

it('sites are placed anew while the crawl runs, and every page is stored once', {
  timeout: 120_000,
}, async () => {
  const { port, sizes } = await onesided(21)
  const pages = sizes.reduce((sum, size) => sum + size, 0)
  const plan = new WebPlan({ sites: sizes.length, pages, sizes, seed: 3 })
  const web = await WebServer.listen(plan, { clock: systemClock, port })
  const expected = [...truth(plan, web.authority)].sort()
  const out = temporary('crawl')
  const politely = GENERATED.map((flag, i) => (GENERATED[i - 1] === '--delay' ? '60' : flag))
  const flags = ['--agents', '2', '--lanes', '1', '--assign', 'hypergraph', '--repartition', '1', '--json']
  const place = [...cluster.named('placed-anew'), '--out', out]
  const { code, stdout, stderr } = await orbweaver(['crawl', web.seed, ...politely, ...flags, ...place])
  const { repeats } = web.counts()
  await web.close()
  expect(code, stderr).toBe(0)
  const report = JSON.parse(stdout) as Report
  expect(report).toMatchObject({ pages: expected.length, coverage: 1, overlap: 0 })
  expect((await urlsWith(out, 'OK')).sort()).toEqual(expected)
  expect(repeats).toBe(0)
  expect(report.repartitions.filter(({ happened }) => happened !== null).length).toBeGreaterThan(0)
})
