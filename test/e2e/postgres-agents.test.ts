/**
 * Several processes on one crawl: agents join, begin anew, and every page is there once. Killed ones:
 * `test/faults/postgres-processes.test.ts`.
 *
 * @module-tag deep
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { systemClock } from '../../src/compose/index.js'
import type { AgentRow, Ledger } from '../../src/ledger/index.js'
import { openPostgresLedger } from '../../src/ledger/postgres/index.js'
import { type PostgresPlace, readPostgresUrl } from '../../src/model/url/index.js'
import type { Report } from '../../src/report/index.js'
import { truth, WebPlan, WebServer } from '../../src/simulate/web/index.js'
import { checkWarcs, urlsWith } from '../kit/crawled.js'
import { GENERATED, orbweaver, type RunningCommand, start, temporary } from '../kit/orbweaver.js'
import { PostgresServer } from '../kit/postgres.js'

const LEASE_MS = 3_000
const PATIENCE = { timeout: 60_000, interval: 50 }
const env = { ORBWEAVER_FAULTS: `lease=${LEASE_MS}` }

describe('agents in processes of their own', () => {
  let postgres: PostgresServer
  const running: RunningCommand[] = []

  beforeAll(async () => {
    postgres = await PostgresServer.start()
  })
  afterAll(async () => {
    for (const command of running) command.process.kill('SIGKILL')
    await postgres.remove()
  })

  async function crawledBy(
    name: string,
    pages: number,
    trouble: (agents: readonly RunningCommand[], asked: (share: number) => Promise<void>) => Promise<void>,
  ): Promise<Report> {
    const plan = new WebPlan({ sites: 20, pages, seed: 9 })
    const web = await WebServer.listen(plan, { clock: systemClock, port: 0 })
    const out = temporary('crawl')
    const ledger = ['--ledger', postgres.url(), '--name', name]
    const flags = ['--rate', '30', '--lanes', '4', '--out', out, '--json']
    const crawl = start(['crawl', web.seed, ...GENERATED, ...ledger, ...flags], env)
    running.push(crawl)
    const asked = async (share: number) => {
      while (web.counts().requests < share * pages) {
        expect(crawl.process.exitCode, crawl.said()).toBeNull()
        await sleep(20)
      }
    }
    await asked(0.02)
    const agents = [1, 2].map(() => start(['agent', out], env))
    running.push(...agents)
    await withLedger(name, ledger =>
      vi.waitFor(async () => expect(await crawling(ledger)).toHaveLength(3), PATIENCE),
    )
    // Slow until all are there, however long a busy machine takes to start them.
    await orbweaver(['set', out, 'rate=250'])
    await trouble(agents, asked)
    const { code, stdout, stderr } = await crawl.ended
    expect(code, stderr).toBe(0)
    const expected = [...truth(plan, web.authority)].sort()
    await web.close()
    expect((await urlsWith(out, 'OK')).sort()).toEqual(expected)
    const check = await checkWarcs(out)
    expect(check.problems).toEqual([])
    expect([...check.pages].sort()).toEqual(expected)
    return JSON.parse(stdout) as Report
  }

  it('share the work, begin a new incarnation when theirs is over in the ledger, and end with the crawl', async () => {
    const ends: Promise<{ code: number | null }>[] = []
    const report = await crawledBy('shared', 1_000, async (agents, asked) => {
      ends.push(...agents.map(({ ended }) => ended))
      await asked(0.4)
      await endAllIncarnations('shared')
    })
    for (const { code } of await Promise.all(ends)) expect(code).toBe(0)
    const joined = report.agents.filter(({ name }) => name.includes(':'))
    expect(joined).toHaveLength(2)
    expect(joined.some(({ pages }) => pages > 0)).toBe(true)
  })

  /** Also that of the agent beside the coordinator; resolves when all are back. */
  const endAllIncarnations = (crawl: string) =>
    withLedger(crawl, async ledger => {
      const before = await crawling(ledger)
      for (const { incarnation } of before) await ledger.leave(incarnation)
      const isAnew = (row: AgentRow) => before.every(({ incarnation }) => row.incarnation > incarnation)
      await vi.waitFor(async () => {
        const names = (await crawling(ledger)).filter(isAnew).map(({ name }) => name)
        expect(names.sort()).toEqual(before.map(({ name }) => name).sort())
      }, PATIENCE)
    })

  async function withLedger(crawl: string, task: (ledger: Ledger) => Promise<unknown>): Promise<void> {
    const place = readPostgresUrl(postgres.url()) as PostgresPlace
    const ledger = await openPostgresLedger({ place, crawl, create: false, clock: systemClock })
    await task(ledger).finally(() => ledger.close())
  }

  const crawling = async (ledger: Ledger) => (await ledger.agents()).filter(({ lanes }) => lanes > 0)

  it('can be asked only where the ledger is in a database', async () => {
    const out = temporary('crawl')
    const web = await WebServer.listen(new WebPlan({ sites: 1, pages: 3, seed: 1 }), {
      clock: systemClock,
      port: 0,
    })
    await orbweaver(['crawl', web.seed, ...GENERATED, '--out', out])
    await web.close()
    const { code, stderr } = await orbweaver(['agent', out])
    expect(code).toBe(4)
    expect(stderr).toMatch(/--ledger postgres/)
  })
})
