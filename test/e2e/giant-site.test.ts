/**
 * A site with 60 % of all pages, over loopback with four agents, after a crawl that learned how heavy it is
 * (H4, issue 7).
 *
 * @module-tag deep
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../src/compose/index.js'
import type { Report } from '../../src/report/index.js'
import { type ServedRequest, truth, WebPlan, WebServer } from '../../src/simulate/web/index.js'
import { urlsWith } from '../kit/crawled.js'
import { GENERATED, orbweaver, temporary } from '../kit/orbweaver.js'

const AGENTS = 4
const DELAY_MS = 5
/**
 * Heaviest agent over the mean, in pages: 5 % by the plan, and what the crawl before did not know. Whole, the
 * site alone is 140 %.
 */
const WITHIN = 0.1
const SIZES = [360, ...Array.from({ length: 24 }, () => 10)]

describe('a site heavier than a part', { timeout: 180_000 }, () => {
  const plan = new WebPlan({ sites: SIZES.length, pages: 600, sizes: SIZES, seed: 4 })
  let server: WebServer
  let served: ServedRequest[] = []
  let giant: string
  let expected: readonly string[]
  let learned: string
  let split: string | undefined

  async function crawl(...flags: string[]): Promise<{ report: Report; out: string }> {
    const out = temporary('crawl')
    const politely = GENERATED.map((flag, i) => (GENERATED[i - 1] === '--delay' ? String(DELAY_MS) : flag))
    const usual = [
      '--agents',
      String(AGENTS),
      '--lanes',
      '20',
      '--archive',
      'none',
      '--sitemap',
      'none',
      '--repartition',
      '0',
    ]
    served = []
    const args = ['crawl', server.seed, ...politely, ...usual, ...flags, '--out', out, '--json']
    const { code, stdout, stderr } = await orbweaver(args)
    expect(code, stderr).toBe(0)
    return { report: JSON.parse(stdout) as Report, out }
  }

  function expectSplit({ routing }: Report): void {
    if (routing === null || 'why' in routing) throw new Error(`no routing: ${routing?.why}`)
    expect(routing).toMatchObject({ splitSites: [{ site: giant, cells: 10, parts: 3 }], heavySites: [] })
    for (const over of routing.imbalance) expect(over).toBeLessThanOrEqual(0.05 + 1e-9)
  }

  beforeAll(async () => {
    server = await WebServer.listen(plan, {
      clock: systemClock,
      port: 0,
      changePeriodMs: 1_000,
      changeRate: 1,
      onServed: each => served.push(each),
    })
    giant = server.authority(0)
    expected = [...truth(plan, server.authority)].sort()
    learned = (await crawl('--assign', 'hash')).out
  }, 120_000)
  afterAll(() => server.close())

  it('by hypergraph is split: agents have about as many pages each, every page comes once, and the site keeps its pace', async () => {
    const { report, out } = await crawl('--assign', 'hypergraph', '--previous', learned)
    split = out
    expectSplit(report)
    expect(overMean(report)).toBeLessThanOrEqual(WITHIN)
    expect(report).toMatchObject({ coverage: 1, overlap: 0, sites: SIZES.length })
    expect(await storedIn(out)).toEqual(expected)
    expect(twice(served)).toEqual([])
    const times = served.filter(({ site }) => site === giant).map(({ startMs }) => startMs)
    times.sort((a, b) => a - b)
    // Over a hundred requests: a server that was held up for a moment sees what came meanwhile at once.
    const spans = times.slice(100).map((time, i) => time - times[i])
    expect(Math.min(...spans)).toBeGreaterThan(0.9 * 100 * DELAY_MS)
    // Links between its cells are messages: of the other sites there are far fewer pages.
    expect(report.messages).toBeGreaterThan(SIZES[0])
  })

  it('by hybrid is shared by the agents of its parts, also after a crawl that had it split', async () => {
    const { report, out } = await crawl('--assign', 'hybrid', '--previous', split ?? learned)
    expectSplit(report)
    const sql = `SELECT agent, count(*) AS pages FROM pages WHERE fetch_status < 400 AND url LIKE 'http://${giant}/%' GROUP BY agent`
    const rows = JSON.parse((await orbweaver(['query', out, sql, '--format', 'json'])).stdout)
    const pages = (rows as { pages: number }[]).map(row => Number(row.pages))
    expect(pages.length).toBe(3)
    const all = pages.reduce((sum, own) => sum + own, 0)
    expect(Math.max(...pages) / all).toBeLessThan(0.5)
    expect(await storedIn(out)).toEqual(expected)
    expect(twice(served)).toEqual([])
  })

  it('stays whole with --split-sites off, and one agent has most of the pages', async () => {
    const { report, out } = await crawl(
      '--assign',
      'hypergraph',
      '--previous',
      learned,
      '--split-sites',
      'off',
    )
    expect(report.routing).toMatchObject({ splitSites: [], heavySites: [giant] })
    expect(overMean(report)).toBeGreaterThan(1)
    expect(await storedIn(out)).toEqual(expected)
  })
})

function overMean({ agents, pages }: Report): number {
  return Math.max(...agents.map(agent => agent.pages)) / (pages / AGENTS) - 1
}

function twice(requests: readonly ServedRequest[]): string[] {
  const urls = requests
    .filter(({ target }) => target !== '/robots.txt')
    .map(({ site, target }) => site + target)
  return urls.filter((url, i) => urls.indexOf(url) !== i)
}

/** Files of the generated web never change. */
async function storedIn(out: string): Promise<string[]> {
  return [...(await urlsWith(out, 'OK')), ...(await urlsWith(out, 'NOT_MODIFIED'))].sort()
}
