/**
 * More agents than sites, with every assignment: a line where a plan cannot be made, and every page all the
 * same.
 */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { systemClock } from '../../src/compose/index.js'
import { ASSIGNMENTS, type AssignmentName, isLearned } from '../../src/config/index.js'
import type { Report } from '../../src/report/index.js'
import { truth, WebPlan, WebServer } from '../../src/simulate/web/index.js'
import { urlsWith } from '../kit/crawled.js'
import { GENERATED, orbweaver, temporary } from '../kit/orbweaver.js'

const SITES = 3
const AGENTS = 5

let server: WebServer
let expected: readonly string[]
let first: string

async function crawl(...flags: string[]): Promise<{ out: string; report: Report; said: string }> {
  const out = temporary('crawl')
  const usual = ['--agents', String(AGENTS), '--lanes', '2', '--archive', 'none', '--sitemap', 'none']
  const args = ['crawl', server.seed, ...GENERATED, ...usual, ...flags, '--out', out, '--json']
  const { code, stdout, stderr } = await orbweaver(args)
  expect(code, stderr).toBe(0)
  return { out, report: JSON.parse(stdout) as Report, said: stderr }
}

beforeAll(async () => {
  const plan = new WebPlan({ sites: SITES, pages: 60, seed: 8 })
  server = await WebServer.listen(plan, { clock: systemClock, port: 0 })
  expected = [...truth(plan, server.authority)].sort()
  first = (await crawl('--assign', 'hash')).out
}, 120_000)
afterAll(() => server.close())

/** Those that no other quick test crawls with. */
const QUICK: readonly AssignmentName[] = ['static-random', 'static-size', 'hybrid']

for (const assign of ASSIGNMENTS)
  it(`${assign} stores every page once with more agents than sites`, {
    tags: QUICK.includes(assign) ? [] : ['deep'],
  }, async () => {
    const phases = assign === 'phases' ? ['--phases', 'period=1,guard=0.1'] : []
    const { out, report, said } = await crawl('--assign', assign, '--previous', first, ...phases)
    expect(report).toMatchObject({ coverage: 1, overlap: 0, sites: SITES })
    const stored = [...(await urlsWith(out, 'OK')), ...(await urlsWith(out, 'NOT_MODIFIED'))]
    expect(stored.sort()).toEqual(expected)
    const lines = said.split('\n').filter(line => line.includes('has no learned data to use'))
    expect(lines).toHaveLength(isLearned(assign) ? 1 : 0)
    if (isLearned(assign)) expect(lines[0]).toContain(`too few for ${AGENTS} agents`)
  })
