/** A crawl of one machine whose ledger is in a real PostgreSQL, by the real command. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../src/compose/index.js'
import type { Report } from '../../src/report/index.js'
import { truth, WebPlan, WebServer } from '../../src/simulate/web/index.js'
import { checkWarcs, urlsWith } from '../kit/crawled.js'
import { GENERATED, orbweaver, type RunningCommand, start, temporary } from '../kit/orbweaver.js'
import { PostgresServer } from '../kit/postgres.js'

const PASSWORD = 'kept-to-ourselves'
const env = { PGPASSWORD: PASSWORD }
const plan = new WebPlan({ sites: 12, pages: 1_000, seed: 5 })

describe('a crawl with --ledger postgres://', () => {
  let postgres: PostgresServer
  let web: WebServer
  let expected: string[]

  beforeAll(async () => {
    postgres = await PostgresServer.start({ password: PASSWORD })
    web = await WebServer.listen(plan, { clock: systemClock, port: 0 })
    expected = [...truth(plan, web.authority)].sort()
  })
  afterAll(async () => {
    await web.close()
    await postgres.remove()
  })

  const crawl = (out: string, name: string, ...more: string[]) => [
    'crawl',
    web.seed,
    ...GENERATED,
    '--out',
    out,
    '--name',
    name,
    '--ledger',
    postgres.url(),
    ...more,
  ]

  it('equals the truth, by one agent and by three, and tells the password nowhere', async () => {
    for (const agents of ['1', '3']) {
      const out = temporary('crawl')
      const { code, stdout, stderr } = await orbweaver(
        crawl(out, `by ${agents}`, '--agents', agents, '--json'),
        env,
      )
      expect(stderr).toContain('Done: ')
      expect(code).toBe(0)
      expect(JSON.parse(stdout)).toMatchObject({ pages: expected.length, overlap: 0, finishReason: 'done' })
      expect((await urlsWith(out, 'OK')).sort()).toEqual(expected)
      const status = await orbweaver(['status', out], env)
      expect(status.stdout).toMatch(/ended \(done\)/)
      expect(readdirSync(out)).not.toContain('ledger.db')
      const files = ['crawl.json', 'crawl.log', 'report.json'].map(name =>
        readFileSync(join(out, name), 'utf8'),
      )
      for (const said of [stdout, stderr, status.stdout, status.stderr, ...files])
        expect(said).not.toContain(PASSWORD)
    }
  })

  it('warns at its start, in its log and in its report of a server that is not durable', {
    tags: 'deep',
  }, async () => {
    const out = temporary('crawl')
    const { stderr, stdout } = await orbweaver(crawl(out, 'weak', '--max-pages', '1', '--json'), env)
    const { warnings } = JSON.parse(stdout) as Report
    expect(warnings).toHaveLength(2)
    const log = readFileSync(join(out, 'crawl.log'), 'utf8')
    for (const line of warnings) {
      expect(stderr).toContain(`orbweaver: ${line}\n`)
      expect(log).toContain(JSON.stringify(line))
    }
    const client = new Client({ connectionString: postgres.url().replace('@', `:${PASSWORD}@`) })
    await client.connect()
    await client.query('BEGIN; SELECT pg_current_xact_id(); SELECT pg_sleep(0.1)')
    const status = await orbweaver(['status', out], { ...env, ORBWEAVER_FAULTS: 'lease=100' })
    expect(status.stdout).toMatch(/^ {2}held up .*user orbweaver.*process \d+/m)
    const json = await orbweaver(['status', out, '--json'], { ...env, ORBWEAVER_FAULTS: 'lease=100' })
    expect(JSON.parse(json.stdout)).toMatchObject({
      longTransactions: [{ who: expect.stringContaining('orbweaver') }],
    })
    await client.query('ROLLBACK')
    await client.end()
    expect((await orbweaver(['status', out], env)).stdout).not.toContain('held up')
  })

  it('outlives kill -9 of the database and of itself: every page once', { tags: 'deep' }, async () => {
    const out = temporary('crawl')
    const before = web.counts().requests
    const first = start(crawl(out, 'killed', '--rate', '300'), env)
    await untilAsked(before + 250, first)
    await postgres.kill()
    await sleep(300)
    await postgres.start()
    await untilAsked(before + 600, first)
    first.process.kill('SIGKILL')
    await first.ended
    const { code, stdout } = await orbweaver(['resume', out, '--json'], env)
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ pages: expected.length, finishReason: 'done' })
    expect((await urlsWith(out, 'OK')).sort()).toEqual(expected)
    const check = await checkWarcs(out)
    expect(check.problems).toEqual([])
    expect([...check.pages].sort()).toEqual(expected)
  })

  async function untilAsked(requests: number, { process: crawling, said }: RunningCommand): Promise<void> {
    while (web.counts().requests < requests) {
      expect(crawling.exitCode, said()).toBeNull()
      await sleep(20)
    }
  }

  it('says in one line what is wrong, with an exit code of its own', async () => {
    const out = temporary('crawl')
    const wrong = await orbweaver(crawl(out, 'x'), { PGPASSWORD: 'mistaken' })
    expect(wrong.code).toBe(7)
    expect(wrong.stderr).toMatch(/^orbweaver: postgres:.*refuses this user.*\n$/)
    expect(wrong.stderr).not.toContain('mistaken')
    const taken = await orbweaver(crawl(out, 'by 1'), env)
    expect(taken.code).toBe(4)
    expect(taken.stderr).toMatch(/^orbweaver: there is a crawl named "by 1".*\n$/)
    const away = await orbweaver(crawl(out, 'x', '--ledger', 'postgres://me@127.0.0.1:1/x'), env)
    expect(away.code).toBe(7)
    expect(away.stderr).toMatch(/^orbweaver: postgres:.*does not answer.*\n$/)
    expect(existsSync(out)).toBe(false)
    const told = await orbweaver(
      ['crawl', web.seed, '--ledger', 'postgres://me:mistaken@localhost/x', '--out', temporary('crawl')],
      env,
    )
    expect(told.code).toBe(4)
    expect(told.stderr).toMatch(/PGPASSWORD/)
    expect(told.stderr).not.toContain('mistaken')
  })
})
