/**
 * With the ledger in PostgreSQL: agents share the seeds, and one that joins a crawl under way takes over its
 * share.
 *
 * @module-tag deep
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { systemClock } from '../../src/compose/index.js'
import { openPostgresLedger } from '../../src/ledger/postgres/index.js'
import { type PostgresPlace, readPostgresUrl } from '../../src/model/url/index.js'
import type { Report } from '../../src/report/index.js'
import { closerThan, NamedHosts, sited } from '../kit/named-hosts.js'
import { orbweaver, type RunningCommand, start, temporary } from '../kit/orbweaver.js'
import { PostgresServer } from '../kit/postgres.js'

const BARE = ['--archive', 'none', '--tables', 'none', '--json']

let postgres: PostgresServer
const running: RunningCommand[] = []
beforeAll(async () => {
  postgres = await PostgresServer.start()
})
afterAll(async () => {
  for (const command of running) command.process.kill('SIGKILL')
  await postgres.remove()
})

it.each([2, 4])('%i agents with default lanes crawl an equal share of 40 seed sites each', async agents => {
  const hosts = await NamedHosts.start()
  // With so few pages that no site is worth moving.
  const seeds = Array.from({ length: 40 }, (_, i) => hosts.set(`site${i}.test`, sited(3)))
  const flags = ['--ledger', postgres.url(), '--name', `shares-${agents}`, '--agents', String(agents)]
  const args = ['crawl', ...seeds, ...hosts.flags, ...flags, '--delay', '0', ...BARE]
  const { code, stdout, stderr } = await orbweaver([...args, '--out', temporary('crawl')])
  await hosts.close()
  expect(code, stderr).toBe(0)
  const report = JSON.parse(stdout) as Report
  expect(report.agents.map(({ pages }) => pages)).toEqual(Array.from({ length: agents }, () => 160 / agents))
})

it('an agent that joins takes over half of the sites of the one that has all, and none is asked too soon', async () => {
  const hosts = await NamedHosts.start()
  const names = Array.from({ length: 20 }, (_, i) => `site${i}.test`)
  const seeds = names.map(name => hosts.set(name, sited(60)))
  const out = temporary('crawl')
  const flags = ['--ledger', postgres.url(), '--name', 'joined', '--delay', '100', '--rate', '20']
  const crawl = start(['crawl', ...seeds, ...hosts.flags, ...flags, ...BARE, '--out', out])
  running.push(crawl)
  for (const name of names) await hosts.asked(name, 1)
  const ledger = await openPostgresLedger({
    place: readPostgresUrl(postgres.url()) as PostgresPlace,
    crawl: 'joined',
    create: false,
    clock: systemClock,
  })
  running.push(start(['agent', out]))
  for (let held = 0; held < 8; ) {
    expect(crawl.process.exitCode, crawl.said()).toBeNull()
    await sleep(100)
    const joined = (await ledger.agents()).find(({ name }) => name.includes(':'))
    held = joined ? (await ledger.leases(joined.incarnation, 0)).length : 0
    expect(held).toBeLessThanOrEqual(12)
  }
  await ledger.close()
  await orbweaver(['set', out, 'rate=1000'])
  const { code, stdout, stderr } = await crawl.ended
  await hosts.close()
  expect(code, stderr).toBe(0)
  const report = JSON.parse(stdout) as Report
  expect(report.pages).toBe(20 * 61)
  const joined = report.agents.find(({ name }) => name.includes(':'))
  expect(joined?.pages).toBeGreaterThan(0)
  for (const name of names) expect(closerThan(100 - 2, hosts.of(name))).toEqual([])
})
