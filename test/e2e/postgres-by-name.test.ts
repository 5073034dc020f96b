/**
 * A crawl named by its ledger: no command needs its directory, and whoever sees the store goes on when the
 * coordinator is killed.
 *
 * @module-tag deep
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readManifest } from '../../src/data/store/tables/index.js'
import { WebPlan } from '../../src/simulate/web/index.js'
import { ClusterWeb, SHORT_LEASES as env } from '../kit/cluster-web.js'
import { GENERATED, orbweaver, type RunningCommand, temporary } from '../kit/orbweaver.js'

const PAGES = 600
const plan = new WebPlan({ sites: 12, pages: PAGES, seed: 4 })

describe('a crawl named by --ledger and --name', () => {
  let cluster: ClusterWeb
  let expected: readonly string[]

  beforeAll(async () => {
    cluster = await ClusterWeb.start(plan)
    expected = cluster.expected
  })
  afterAll(() => cluster.close())

  const named = (name: string) => cluster.named(name)
  const begin = (args: readonly string[]) => cluster.begin(args)
  const untilAsked = (requests: number, command: RunningCommand) => cluster.untilAsked(requests, command)
  const crawl = (name: string, store: string, ...more: string[]) =>
    begin([
      'crawl',
      cluster.web.seed,
      ...GENERATED,
      ...named(name),
      '--store',
      store,
      '--lanes',
      '4',
      ...more,
    ])

  async function untilJoined(name: string, { process, said }: RunningCommand): Promise<void> {
    const joined = async () => {
      const { stdout } = await orbweaver(['status', ...named(name), '--json'])
      return (JSON.parse(stdout) as { agents: { name: string }[] }).agents.some(agent =>
        agent.name.includes(':'),
      )
    }
    while (!(await joined())) expect(process.exitCode, said()).toBeNull()
  }

  it('is joined, looked at, set, stopped and resumed without its directory', async () => {
    const store = temporary('store')
    const before = cluster.web.counts().requests
    const first = crawl('by name', store, '--rate', '10')
    await untilAsked(before + 20, first)
    const agent = begin(['agent', ...named('by name')])
    await untilJoined('by name', agent)
    expect((await orbweaver(['set', ...named('by name'), 'rate=15'])).stderr).toMatch(/within a second/)
    const status = await orbweaver(['status', ...named('by name')])
    expect(status.stdout).toMatch(/running\n.*rate=15/s)
    expect((await orbweaver(['checkpoint', ...named('by name')])).stderr).toMatch(/checkpoint done/)
    const second = await orbweaver(['resume', ...named('by name')], env)
    expect(second.stderr).toMatch(/at work already/)
    expect(second.code).toBe(6)
    expect((await orbweaver(['stop', ...named('by name')])).code).toBe(0)
    expect((await first.ended).code).toBe(11)
    expect((await agent.ended).code).toBe(11)
    await orbweaver(['set', ...named('by name'), 'rate=0'])
    const last = await orbweaver(['resume', ...named('by name'), '--agents', '2', '--json'], env)
    expect(last.code, last.stderr).toBe(0)
    expect(JSON.parse(last.stdout)).toMatchObject({ pages: expected.length, finishReason: 'done' })
    await cluster.expectWhole(store)
  })

  it('says in one line what is wrong with a name or a store', async () => {
    const answers = async (...args: string[]) => {
      const { code, stderr } = await orbweaver(args, env)
      expect(stderr).toMatch(/^orbweaver: [^\n]+\n$/)
      return { code, stderr }
    }
    for (const command of ['agent', 'resume', 'status', 'stop', 'checkpoint']) {
      const unknown = await answers(command, ...named('no such crawl'))
      expect(unknown).toMatchObject({ code: 4, stderr: expect.stringContaining('there is no crawl named') })
    }
    expect((await answers('resume', '--ledger', cluster.postgres.url())).code).toBe(4)
    expect((await answers('status')).code).toBe(4)
    const other = await answers('agent', ...named('by name'), '--store', temporary('nowhere'))
    expect(other).toMatchObject({ code: 4, stderr: expect.stringContaining('there is no directory') })
    const taken = await orbweaver(
      ['crawl', cluster.web.seed, ...GENERATED, ...named('by name'), '--store', temporary('store')],
      env,
    )
    expect(taken).toMatchObject({ code: 4, stderr: expect.stringContaining('there is a crawl named') })
  })

  it('goes on, with report and manifest, when its coordinator is killed; a zombie of it is fenced off', async () => {
    const store = temporary('store')
    const before = cluster.web.counts().requests
    const first = crawl('killed', store, '--rate', '60')
    await untilAsked(before + 50, first)
    const agents = [1, 2].map(() => begin(['agent', ...named('killed')]))
    await untilAsked(before + 200, first)
    // It stands still; the next takes over and is killed too; the first comes back as a zombie.
    first.process.kill('SIGSTOP')
    await untilSeat(store, 1)
    const log = () => readFileSync(join(store, 'crawl.log'), 'utf8')
    const coordinating = agents.find(({ process }) => log().includes(`coordinates now","pid":${process.pid}`))
    expect(coordinating).toBeDefined()
    coordinating!.process.kill('SIGKILL')
    await untilSeat(store, 2)
    first.process.kill('SIGCONT')
    await orbweaver(['set', ...named('killed'), 'rate=200'])
    const last = agents.find(agent => agent !== coordinating)!
    expect((await last.ended).code).toBe(0)
    expect((await first.ended).code).toBe(0)
    expect(JSON.parse(readFileSync(join(store, 'report.json'), 'utf8'))).toMatchObject({
      pages: expected.length,
      finishReason: 'done',
    })
    const manifest = readManifest(store)
    expect(manifest.ok && manifest.manifest.tables.pages.files.length).toBeGreaterThan(0)
    await cluster.expectWhole(store)
  })

  it('is brought to its end by an agent when its coordinator is killed in the middle of that', async () => {
    const store = temporary('store')
    const before = cluster.web.counts().requests
    const first = crawl('nearly', store, '--rate', '15')
    await untilAsked(before + 20, first)
    const agent = begin(['agent', ...named('nearly')])
    await untilJoined('nearly', agent)
    // While it stands still the crawl ends, and waits for it to close its files.
    agent.process.kill('SIGSTOP')
    await orbweaver(['set', ...named('nearly'), 'rate=0'])
    const isOver = async () => {
      const { stdout } = await orbweaver(['status', ...named('nearly'), '--json'])
      return !(JSON.parse(stdout) as { open: boolean }).open
    }
    while (!(await isOver())) expect(first.process.exitCode, first.said()).toBeNull()
    first.process.kill('SIGKILL')
    agent.process.kill('SIGCONT')
    expect((await agent.ended).code, agent.said()).toBe(0)
    expect(JSON.parse(readFileSync(join(store, 'report.json'), 'utf8'))).toMatchObject({
      pages: expected.length,
      finishReason: 'done',
    })
    await cluster.expectWhole(store)
  })

  /** So many processes have taken over so far. */
  async function untilSeat(store: string, times: number): Promise<void> {
    const file = join(store, 'crawl.log')
    for (;;) {
      const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
      if (text.split('this process coordinates now').length > times) return
      await sleep(50)
    }
  }
})
