/** @module-tag deep */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../src/compose/index.js'
import type { Report } from '../../src/report/index.js'
import { rankedTruth, WebPlan, WebServer } from '../../src/simulate/web/index.js'
import { GENERATED, orbweaver, start, temporary } from '../kit/orbweaver.js'

/**
 * D23: what agents say to each other and how they share the work, in a real crawl that is stopped and
 * resumed.
 */
describe('the figures of a crawl by two agents, over two runs', () => {
  const plan = new WebPlan({ sites: 10, pages: 900, seed: 21, linksPerPage: 25 })
  const folder = temporary('')
  const out = join(folder, 'crawl')
  const ranks = join(folder, 'ranks.tsv')
  let server: WebServer
  let report: Report

  beforeAll(async () => {
    server = await WebServer.listen(plan, { clock: systemClock, port: 0 })
    writeFileSync(ranks, [...rankedTruth(plan, server.authority)].join('\n'))
    const flags = ['--out', out, '--truth', ranks, '--agents', '2', '--lanes', '3', '--archive', 'none']
    await orbweaver(['crawl', server.seed, ...GENERATED, ...flags, '--sitemap', 'none', '--max-pages', '300'])
    await orbweaver(['set', out, 'maxPages='])
    report = JSON.parse((await orbweaver(['resume', out, '--json'])).stdout) as Report
  }, 120_000)
  afterAll(() => server.close())

  const ask = async (sql: string) =>
    (JSON.parse((await orbweaver(['query', out, sql, '--format', 'json'])).stdout) as { n: number }[])[0].n

  it('are exact where the web is known', () => {
    expect(report).toMatchObject({ coverage: 1, coverageIsEstimate: false, quality: 1, overlap: 0 })
    expect(report.pages).toBe(report.uniquePages)
  })

  it('count messages once, and no more than the links between the agents allow', async () => {
    const between = `FROM links l JOIN pages s ON s.url = l.url JOIN pages t ON t.url = l.target
      WHERE s.agent <> t.agent`
    const links = report.communication * report.pages
    expect(report.coalescedMessages).toBeGreaterThan(0)
    expect(report.messages).toBeGreaterThan(report.coalescedMessages)
    expect(links + 1).toBeGreaterThan(report.messages)
    const most = await ask(`SELECT count(DISTINCT (l.url, t.agent)) AS n ${between}`)
    // Links to what redirects stand in no row of `pages` as targets: a tenth more at most.
    expect(report.messages).toBeLessThanOrEqual(most * 1.1)
    expect(report.coalescedMessages).toBeLessThanOrEqual(plan.sites * 2)
  })

  it('share the work among all lanes, and say so in the pages too', async () => {
    const agents = report.agents.filter(({ lanes }) => lanes.length > 0)
    const lanes = agents.flatMap(agent => agent.lanes)
    expect(agents).toHaveLength(2)
    expect(lanes.reduce((sum, { workload }) => sum + workload, 0)).toBeCloseTo(1, 1)
    expect(lanes.reduce((sum, { pages }) => sum + pages, 0)).toBe(report.pages)
    for (const { lane } of lanes) expect([1, 2, 3]).toContain(lane)
    expect(await ask('SELECT max(lane) AS n FROM pages')).toBeLessThanOrEqual(3)
  })
})

describe('the figures of a crawl that goes on', () => {
  it('count nothing twice that is only under way, and name the work of every lane', async () => {
    const plan = new WebPlan({ sites: 10, pages: 2_000, seed: 22, linksPerPage: 25 })
    const server = await WebServer.listen(plan, { clock: systemClock, port: 0, latencyMs: 100 })
    const out = temporary('crawl')
    const flags = ['--agents', '2', '--lanes', '3', '--archive', 'none', '--sitemap', 'none', '--out', out]
    const crawl = start(['crawl', server.seed, ...GENERATED, ...flags])
    const look = async () =>
      JSON.parse(
        (await orbweaver(['status', out, '--metrics', '--json'])).stdout || '{"pages":0}',
      ) as Report & { work: Report['agents'] }
    let now = await look()
    while (now.pages < 30) now = await look()
    await orbweaver(['stop', out])
    await crawl.ended
    await server.close()
    expect(now).toMatchObject({ running: true, overlap: 0, overlapFetches: 0, coverageIsEstimate: true })
    const lanes = now.work.flatMap(agent => agent.lanes)
    expect(lanes.reduce((sum, { pages }) => sum + pages, 0)).toBe(now.pages)
    expect(lanes.reduce((sum, { workload }) => sum + workload, 0)).toBeCloseTo(1, 1)
  }, 120_000)
})
