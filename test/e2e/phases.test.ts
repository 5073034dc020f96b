/**
 * `--assign phases` for real: every page once, and by the server's log never two nodes at one host (K5), on
 * both ledgers.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { exclusionIn } from '../../experiments/phases/index.js'
import { systemClock } from '../../src/compose/index.js'
import type { Report } from '../../src/report/index.js'
import { type ServedRequest, truth, WebPlan, WebServer } from '../../src/simulate/web/index.js'
import { checkWarcs, urlsWith } from '../kit/crawled.js'
import { GENERATED, orbweaver, start, temporary } from '../kit/orbweaver.js'
import { PostgresServer } from '../kit/postgres.js'

const NODES = 4
const ADDRESSES = Array.from({ length: NODES }, (_, i) => ['--source-address', `127.0.0.${11 + i}`]).flat()
const GUARD_MS = 200
const PHASES = ['--assign', 'phases', '--agents', `${NODES}`, '--phases', `period=2,guard=${GUARD_MS / 1000}`]
/**
 * As wrong as the guard allows, less what a timer may be late by on a busy machine; the agents do not know.
 */
const SKEWED = { ORBWEAVER_FAULTS: `phase-skew=${0.97 * GUARD_MS}` }

describe('a crawl in phases', () => {
  const closing: (() => Promise<void>)[] = []
  afterEach(async () => {
    for (const close of closing.splice(0)) await close()
  })

  async function serve(pages: number) {
    const log: ServedRequest[] = []
    const plan = new WebPlan({ sites: 12, pages, seed: 21 })
    const web = await WebServer.listen(plan, {
      clock: systemClock,
      port: 0,
      latencyMs: 5,
      onServed: served => log.push(served),
    })
    closing.push(() => web.close())
    return { web, log, expected: [...truth(plan, web.authority)].sort() }
  }

  async function expectWhole(out: string, expected: readonly string[]): Promise<void> {
    expect((await urlsWith(out, 'OK')).sort()).toEqual(expected)
    const check = await checkWarcs(out)
    expect(check.problems).toEqual([])
    expect([...check.pages].sort()).toEqual(expected)
  }

  function expectApart(log: readonly ServedRequest[]): void {
    const { together, handOvers } = exclusionIn(log)
    expect(together).toBe(0)
    expect(handOvers).toBeGreaterThan(0)
  }

  it('keeps nodes apart with clocks that are wrong, and shares the work evenly', async () => {
    const { web, log, expected } = await serve(600)
    const out = temporary('crawl')
    const { code, stdout, stderr } = await orbweaver(
      ['crawl', web.seed, ...GENERATED, ...PHASES, ...ADDRESSES, '--out', out, '--json'],
      SKEWED,
    )
    expect(code, stderr).toBe(0)
    await expectWhole(out, expected)
    expectApart(log)
    const { agents, sites } = JSON.parse(stdout) as Report
    expect(sites).toBe(12)
    for (const { pages } of agents) expect(pages).toBeGreaterThan(expected.length / NODES / 2)
  })

  it('is killed, and resumed with fewer agents: they take the shards of all nodes, and keep apart as before', {
    tags: 'deep',
  }, async () => {
    const { web, log, expected } = await serve(400)
    const out = temporary('crawl')
    const crawl = start(['crawl', web.seed, ...GENERATED, ...PHASES, ...ADDRESSES, '--out', out])
    while (web.counts().requests < 120 && crawl.process.exitCode === null) await sleep(20)
    crawl.process.kill('SIGKILL')
    await crawl.ended
    const { code, stderr } = await orbweaver(['resume', out, '--agents', '2'])
    expect(code, stderr).toBe(0)
    await expectWhole(out, expected)
    expectApart(log)
  })

  it('goes on PostgreSQL too', { tags: 'deep' }, async () => {
    const postgres = await PostgresServer.start()
    closing.push(() => postgres.remove())
    const { web, log, expected } = await serve(300)
    const out = temporary('crawl')
    const ledger = ['--ledger', postgres.url(), '--name', 'phases']
    const { code, stderr } = await orbweaver(
      ['crawl', web.seed, ...GENERATED, ...ledger, ...PHASES, ...ADDRESSES, '--out', out],
      SKEWED,
    )
    expect(code, stderr).toBe(0)
    await expectWhole(out, expected)
    expectApart(log)
  })

  it('says before it begins what does not go together', async () => {
    const crawl = (...flags: string[]) =>
      orbweaver(['crawl', 'http://a.test/', ...flags, '--out', temporary('x')])
    const few = await crawl('--assign', 'phases', '--agents', '4', '--phases', 'phases=3')
    expect(few).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('3 phases are too few for 4 nodes'),
    })
    const ip = await crawl('--assign', 'phases', '--group', 'ip')
    expect(ip).toMatchObject({ code: 4, stderr: expect.stringContaining('--group domain or none') })
    const guard = await crawl('--assign', 'phases', '--phases', 'guard=x')
    expect(guard).toMatchObject({ code: 4, stderr: expect.stringContaining('guard must be seconds') })
    const alone = await crawl('--phases', 'nodes=4')
    expect(alone).toMatchObject({ code: 4, stderr: expect.stringContaining('--assign phases') })
  })
})
