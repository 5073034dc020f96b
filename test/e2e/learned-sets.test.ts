/**
 * What becomes of learned/ from crawl to crawl, and of a crawl that is given the one of another web (S1).
 *
 * @module-tag deep
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../src/compose/index.js'
import { type LearnedSite, type LearnedWeb, planRouting } from '../../src/plan/assign/learned/index.js'
import { readLearned } from '../../src/plan/learn/index.js'
import type { Report } from '../../src/report/index.js'
import { truth, WebPlan, WebServer } from '../../src/simulate/web/index.js'
import { GENERATED, orbweaver, temporary } from '../kit/orbweaver.js'

interface Crawled {
  readonly out: string
  readonly report: Report
  readonly said: string
  readonly web: LearnedWeb
}

const plan = new WebPlan({ sites: 16, pages: 120, seed: 5 })
const otherPlan = new WebPlan({ sites: 12, pages: 60, seed: 7 })

async function crawl(from: WebServer, ...flags: string[]): Promise<Crawled> {
  const out = temporary('crawl')
  const usual = ['--agents', '2', '--lanes', '4', '--archive', 'none', '--sitemap', 'none']
  const args = ['crawl', from.seed, ...GENERATED, ...usual, ...flags, '--out', out, '--json']
  const { code, stdout, stderr } = await orbweaver(args)
  expect(code, stderr).toBe(0)
  const { createdAt } = JSON.parse(readFileSync(join(out, 'crawl.json'), 'utf8')) as { createdAt: string }
  const web = await readLearned(out, createdAt)
  if ('trouble' in web) throw new Error(web.trouble)
  return { out, report: JSON.parse(stdout) as Report, said: stderr, web }
}

describe('what a crawl has learned', () => {
  let server: WebServer
  let other: WebServer
  let first: Crawled

  beforeAll(async () => {
    server = await WebServer.listen(plan, { clock: systemClock, port: 0 })
    other = await WebServer.listen(otherPlan, { clock: systemClock, port: 0 })
    first = await crawl(server, '--assign', 'hash')
  }, 60_000)
  afterAll(async () => {
    await server.close()
    await other.close()
  })

  it('stands after crawls in which nothing has changed, with tables and without', async () => {
    expect(first.web.counts.length).toBeGreaterThan(10)
    for (const tables of ['parquet', 'none']) {
      const again = await crawl(server, '--previous', first.out, '--tables', tables)
      expect(again.report.outcomes.NOT_MODIFIED).toBeGreaterThan(100)
      for (const [i, { site, pages, bytes }] of sorted(again.web).entries()) {
        const before = sorted(first.web)[i]
        expect({ site, pages }).toEqual({ site: before.site, pages: before.pages })
        // A page without a validator is sent again: it weighs what it weighs, the others what pages of the
        // site do.
        expect(Math.abs(bytes / before.bytes - 1), site).toBeLessThan(0.05)
      }
      expect(total(again.web), tables).toBe(total(first.web))
      expect(again.web.sites).toHaveLength(plan.sites)
    }
  }, 60_000)

  it('tells what came and was no page: redirects and what is gone', () => {
    const text = gunzipSync(readFileSync(join(first.out, 'learned/sites.gz'))).toString()
    const noted = text
      .trim()
      .split('\n')
      .map(line => JSON.parse(line) as { bytes: number; otherBytes: number })
    expect(noted).toHaveLength(plan.sites)
    expect(noted.filter(({ otherBytes }) => otherBytes > 0).length).toBeGreaterThan(plan.sites / 4)
    for (const { bytes, otherBytes } of noted) expect(otherBytes).toBeLessThan(bytes / 2)
  })

  it('of another web is not gone by: one line says so, every page is stored, and nothing old is lost', async () => {
    const flags = ['--assign', 'hypergraph', '--previous', first.out, '--tables', 'none']
    const { report, said, web } = await crawl(other, ...flags)
    const lines = said.split('\n').filter(line => line.includes('--assign'))
    expect(lines).toHaveLength(1)
    expect(lines[0]).toMatch(
      /as with hash: what .* has learned describes another web: it does not know s\d+\.test:\d+$/,
    )
    expect(report.routing).toEqual({ why: expect.stringMatching(/describes another web/) })
    // What the previous crawl knew is asked for again, beside the web of the seed.
    const pages = [...truth(otherPlan, other.authority), ...truth(plan, server.authority)].length
    expect(report).toMatchObject({ pages, overlap: 0 })
    expect(total(web)).toBe(total(first.web))
    expect(web.sites).toHaveLength(plan.sites + otherPlan.sites)
  }, 60_000)

  it('without links is gone by for balance alone, and one line says so', async () => {
    const tableless = await crawl(server, '--tables', 'none')
    const { report, said } = await crawl(server, '--assign', 'hypergraph', '--previous', tableless.out)
    expect(said).toMatch(/--assign hypergraph uses balance only: .* no links between them/)
    expect(report.routing).toMatchObject({ parts: 2, sites: plan.sites, nets: 0 })
  }, 60_000)

  it('makes tables by messages of sites where that is asked for', async () => {
    const flags = ['--assign', 'hypergraph', '--nets', 'site', '--previous', first.out]
    const { report } = await crawl(server, ...flags)
    const [bySite, byPage] = (['site', 'page'] as const).map(nets => {
      const made = planRouting(first.web, { shares: [1, 1], grouping: 'domain', seed: 1, nets })
      return typeof made === 'string' ? null : made.predicted
    })
    expect(report.routing).toMatchObject({ predicted: bySite })
    expect(bySite).not.toEqual(byPage)
  }, 60_000)
})

function sorted({ sites }: LearnedWeb): LearnedSite[] {
  return [...sites].sort((a, b) => (a.site < b.site ? -1 : 1))
}

/** Pages with links to other sites. */
function total({ counts }: LearnedWeb): number {
  return counts.reduce((sum, count) => sum + count, 0)
}
