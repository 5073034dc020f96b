/**
 * Agents that do not see the store: their packs go to whoever coordinates, and every page is there once.
 *
 * @module-tag deep
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WebPlan } from '../../src/simulate/web/index.js'
import { ClusterWeb, SHORT_LEASES as env } from '../kit/cluster-web.js'
import { GENERATED, orbweaver, type RunningCommand, temporary } from '../kit/orbweaver.js'

const plan = new WebPlan({ sites: 30, pages: 700, seed: 8 })

interface Status {
  readonly agents: readonly { readonly name: string; readonly pages: number }[]
  readonly waitingFor: string
  readonly pages: number
}

describe('agents without the store', () => {
  let cluster: ClusterWeb
  const running: RunningCommand[] = []

  beforeAll(async () => {
    cluster = await ClusterWeb.start(plan)
  })
  afterAll(() => cluster.close())

  const named = (name: string) => cluster.named(name)
  const begin = (args: readonly string[]) => {
    const command = cluster.begin(args)
    running.push(command)
    return command
  }
  const status = async (name: string): Promise<Status> =>
    JSON.parse((await orbweaver(['status', ...named(name), '--json'])).stdout) as Status

  async function until(isSo: () => boolean | Promise<boolean>, ...alive: RunningCommand[]): Promise<void> {
    while (!(await isSo())) {
      for (const { process, said } of alive) expect(process.exitCode, said()).toBeNull()
      await sleep(50)
    }
  }

  /** As many agents elsewhere have brought something. */
  const contributing = async (name: string, wanted: number) =>
    (await status(name)).agents.filter(({ name, pages }) => name.includes(':') && pages > 0).length >= wanted

  async function expectNoToken(name: string, ...texts: string[]): Promise<void> {
    const { Client } = await import('pg')
    const client = new Client({ connectionString: cluster.postgres.url() })
    await client.connect()
    const { rows } = await client.query(
      `SELECT value FROM "orbweaver ${name}".setting WHERE name = 'crawl.token'`,
    )
    await client.end()
    const [{ value }] = rows as { value: string }[]
    expect(value.length).toBeGreaterThan(40)
    for (const text of texts) expect(text).not.toContain(value)
  }

  it('bring their part, are killed, and find the next coordinator: every page once', async () => {
    const store = temporary('store')
    const crawl = begin([
      ...['crawl', cluster.web.seed, ...GENERATED, ...named('diskless'), '--store', store],
      ...['--lanes', '2', '--rate', '20'],
    ])
    await until(async () => (await status('diskless').catch(() => null))?.pages !== undefined, crawl)
    const diskless = [1, 2].map(() => begin(['agent', ...named('diskless'), '--store', 'none']))
    const seeing = begin(['agent', ...named('diskless')])
    await until(() => contributing('diskless', 2), crawl, seeing, ...diskless)
    diskless[0].process.kill('SIGKILL')
    crawl.process.kill('SIGKILL')
    await until(() => readFileSync(join(store, 'crawl.log'), 'utf8').includes('coordinates now'), diskless[1])
    await orbweaver(['set', ...named('diskless'), 'rate=300'])
    expect((await diskless[1].ended).code, diskless[1].said()).toBe(0)
    expect((await seeing.ended).code, seeing.said()).toBe(0)
    await cluster.expectWhole(store)
    const files = ['crawl.json', 'crawl.log', 'report.json'].map(name =>
      readFileSync(join(store, name), 'utf8'),
    )
    const told = await orbweaver(['status', ...named('diskless'), '--json'])
    await expectNoToken('diskless', ...files, told.stdout, ...running.map(({ said }) => said()))
  })

  it('wait without fetching while nobody coordinates, and lose nothing', async () => {
    const store = temporary('store')
    const crawl = begin([
      ...['crawl', cluster.web.seed, ...GENERATED, ...named('alone'), '--store', store],
      ...['--lanes', '2', '--rate', '20'],
    ])
    await until(async () => (await status('alone').catch(() => null))?.pages !== undefined, crawl)
    const diskless = begin(['agent', ...named('alone'), '--store', 'none'])
    await until(() => contributing('alone', 1), crawl, diskless)
    crawl.process.kill('SIGKILL')
    await until(async () => /coordinator|coordinates/.test((await status('alone')).waitingFor), diskless)
    const asked = cluster.web.counts().requests
    await sleep(1_500)
    expect(cluster.web.counts().requests).toBe(asked)
    await orbweaver(['set', ...named('alone'), 'rate=300'])
    const resumed = await orbweaver(['resume', ...named('alone'), '--json'], env)
    expect(resumed.code, resumed.stderr).toBe(0)
    expect((await diskless.ended).code, diskless.said()).toBe(0)
    await cluster.expectWhole(store)
  })
})
