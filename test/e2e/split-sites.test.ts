/** A giant site among small ones, crawled by four agents, split by path on the way, killed and resumed. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../src/compose/index.js'
import type { Report } from '../../src/report/index.js'
import { truth, WebPlan, WebServer } from '../../src/simulate/web/index.js'
import { urlsWith } from '../kit/crawled.js'
import { GENERATED, orbweaver, start, temporary } from '../kit/orbweaver.js'

const DELAY_MS = 10
const AGENTS = 4

describe('a giant site that is split', { timeout: 300_000 }, () => {
  const plan = new WebPlan({ sites: 6, pages: 900, seed: 5, largestShare: 0.6 })
  const out = temporary('crawl')
  const served: { readonly site: string; readonly startMs: number }[] = []
  let server: WebServer
  let expected: string[]
  let report: Report
  let giant: string

  const splits = () => {
    const log = join(out, 'crawl.log')
    return existsSync(log) ? readFileSync(log, 'utf8').split('"event":"site split"').length - 1 : 0
  }

  beforeAll(async () => {
    server = await WebServer.listen(plan, {
      clock: systemClock,
      port: 0,
      onServed: each => served.push(each),
    })
    expected = [...truth(plan, server.authority)].sort()
    const flags = ['--agents', String(AGENTS), '--assign', 'hash', '--split-sites', '40', '--out', out]
    const politely = GENERATED.map((flag, i) => (GENERATED[i - 1] === '--delay' ? String(DELAY_MS) : flag))
    const first = start(['crawl', server.seed, ...politely, ...flags])
    while (splits() < 2 || served.length < 250) await new Promise(soon => setTimeout(soon, 20))
    first.process.kill('SIGKILL')
    await first.ended
    const { stdout, stderr, code } = await orbweaver(['resume', out, '--json'])
    expect(code, stderr).toBe(0)
    report = JSON.parse(stdout) as Report
    const sizes = new Map<string, number>()
    for (const { site } of served) sizes.set(site, (sizes.get(site) ?? 0) + 1)
    giant = [...sizes].sort((a, b) => b[1] - a[1])[0][0]
  }, 240_000)
  afterAll(() => server.close())

  it('is stored as the truth says, each page once, and told as one site', async () => {
    expect(report).toMatchObject({ pages: expected.length, coverage: 1, overlap: 0, sites: 6 })
    expect((await urlsWith(out, 'OK')).sort()).toEqual(expected)
    const rows = await orbweaver(['query', out, 'SELECT count(*) AS n FROM sites', '--format', 'json'])
    expect(JSON.parse(rows.stdout)).toEqual([{ n: 6 }])
    expect(splits()).toBeGreaterThan(1)
  })

  it('is asked no more often than its delay allows, whoever asks', () => {
    const times = served.filter(({ site }) => site === giant).map(({ startMs }) => startMs)
    times.sort((a, b) => a - b)
    expect(times.length).toBeGreaterThan(expected.length / 2)
    // Over a hundred requests: a server that was held up for a moment sees what came meanwhile at once.
    const spans = times.slice(100).map((time, i) => time - times[i])
    expect(Math.min(...spans)).toBeGreaterThan(0.9 * 100 * DELAY_MS)
  })

  it('is shared by the agents: none has as much as the whole of it', () => {
    const pages = report.agents.map(agent => agent.pages)
    const whole = expected.filter(url => url.includes(`//${giant}/`)).length
    expect(whole).toBeGreaterThan(expected.length / 2)
    // Who has how many pieces is a matter of the hash, and so of the port.
    expect(Math.max(...pages)).toBeLessThan(whole)
  })
})
