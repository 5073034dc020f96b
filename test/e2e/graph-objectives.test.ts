/**
 * What `--assign graph` goes by beside links, over loopback with four agents: words, distance, places, change
 * (S8, S9, S17).
 *
 * @module-tag deep
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../src/compose/index.js'
import { readGraphSettings } from '../../src/config/index.js'
import { planGraph } from '../../src/plan/assign/learned/index.js'
import { readLearned } from '../../src/plan/learn/index.js'
import type { Report } from '../../src/report/index.js'
import { readCrawlFile } from '../../src/runtime/directory/index.js'
import { WebPlan, WebServer } from '../../src/simulate/web/index.js'
import { GENERATED, orbweaver, temporary } from '../kit/orbweaver.js'

const AGENTS = 4

/**
 * Four topics of ten sites each, dealt out at random; links keep to none of them, so that words alone tell.
 */
const plan = new WebPlan({
  sites: 40,
  pages: 400,
  seed: 103,
  sizes: new Array<number>(40).fill(10),
  topics: 4,
  topicShare: 0,
})

interface Crawled {
  readonly out: string
  readonly report: Report
}

describe('a crawl by the graph of what was learned', () => {
  let server: WebServer
  let learned: Crawled

  async function crawl(...flags: string[]): Promise<Crawled> {
    const out = temporary('crawl')
    const usual = ['--agents', String(AGENTS), '--lanes', '3', '--archive', 'none', '--sitemap', 'none']
    const args = ['crawl', server.seed, ...GENERATED, ...usual, ...flags, '--out', out, '--json']
    const { code, stdout, stderr } = await orbweaver(args)
    expect(code, stderr).toBe(0)
    return { out, report: JSON.parse(stdout) as Report }
  }

  /** Share of the pairs of sites on one topic that are in one part. */
  async function together(words: readonly string[]): Promise<number> {
    const web = await readLearned(learned.out, readCrawlFile(learned.out).createdAt)
    if ('trouble' in web) throw new Error(web.trouble)
    const agents = [1, 2, 3, 4].map(number => `agent-${number}`)
    const asked = { agents, shares: [1, 1, 1, 1], grouping: 'domain', seed: 1 } as const
    const made = planGraph(web, { ...asked, ...readGraphSettings(words) })
    if (typeof made === 'string') throw new Error(made)
    const sites = Array.from({ length: plan.sites }, (_, i) => i)
    const partOf = (i: number) => made.table.partOf(server.authority(i))
    const alike = sites.flatMap(i =>
      sites.filter(j => j > i && plan.topicOf(i) === plan.topicOf(j)).map(j => partOf(i) === partOf(j)),
    )
    return alike.filter(Boolean).length / alike.length
  }

  beforeAll(async () => {
    server = await WebServer.listen(plan, {
      clock: systemClock,
      port: 0,
      changePeriodMs: 500,
      changeRate: 0.5,
    })
    const first = await crawl('--assign', 'hash')
    // What has changed is known after the second.
    learned = await crawl('--assign', 'hash', '--previous', first.out)
  }, 240_000)
  afterAll(() => server.close())

  it('has sites on one topic with one agent when similarity counts, by the words of their pages, and not otherwise', async () => {
    expect(await together(['vertices=site', 'links=0.01', 'rtt=0', 'similarity=1'])).toBeGreaterThan(0.7)
    expect(await together(['vertices=site', 'rtt=0'])).toBeLessThan(0.4)
  })

  it('stores every page once whatever counts, and the report says what was cut of each', async () => {
    const all = 'vertices=address,links=1,rtt=0.5,change=0.5,similarity=0.5,geography=0.5'
    const { report } = await crawl('--assign', 'graph', '--graph', all, '--previous', learned.out)
    const { routing } = report
    if (routing === null || 'why' in routing) throw new Error(`no routing: ${routing?.why}`)
    expect(report).toMatchObject({ overlap: 0, pages: learned.report.pages })
    const names = ['links', 'rtt', 'change', 'similarity', 'geography']
    expect(routing.objectives?.map(({ name }) => name)).toEqual(names)
    // All sites are in one block of addresses, and each of the four parts has some of them.
    expect(routing.objectives?.at(-1)?.cut).toBe(3 * plan.sites)
    // A factor of one half asks for 10 % instead of 5 %.
    const [pages, visits] = routing.imbalance
    expect(pages).toBeLessThanOrEqual(0.05)
    expect(visits).toBeLessThanOrEqual(0.1)
  }, 240_000)

  it('refuses what it cannot read in one line', async () => {
    for (const words of ['similarity=-1', 'speed=1', 'vertices=page']) {
      const out = temporary('refused')
      const flags = ['--assign', 'graph', '--graph', words, '--out', out]
      const { code, stderr } = await orbweaver(['crawl', server.seed, ...GENERATED, ...flags])
      expect(code).toBe(4)
      expect(stderr.trim().split('\n')).toHaveLength(1)
      expect(stderr).toContain('--graph')
    }
  }, 60_000)
})
