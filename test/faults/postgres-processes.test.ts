/**
 * Several processes on one database, and what befalls them: kill -9 of an agent, one that stands still for
 * longer than its lease, one that is cut off from the database and healed, kill -9 of PostgreSQL, connections
 * that break in the middle of transactions. Every page once; no site asked by two at once, nor within its
 * delay; and the simulator's checker agrees.
 *
 * @module-tag deep
 */
import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { systemClock as clock } from '../../src/compose/index.js'
import { openPostgresLedger } from '../../src/ledger/postgres/index.js'
import { type PostgresPlace, readPostgresUrl } from '../../src/model/url/index.js'
import { type ServedRequest, truth, WebPlan, WebServer } from '../../src/simulate/web/index.js'
import { type Audit, auditPostgres, postgresAudit } from '../kit/audit.js'
import { urlsWith } from '../kit/crawled.js'
import { orbweaver, type RunningCommand, start, temporary } from '../kit/orbweaver.js'
import { PostgresServer } from '../kit/postgres.js'
import { TcpProxy } from '../kit/tcp-proxy.js'
import { impolite } from './politeness-violations.js'
import { type RealRun, storedPart, violationsOf } from './real-history.js'

const NAME = 'processes'
const LEASE_MS = 3_000
const DELAY_MS = 20
const PATIENCE = { timeout: 60_000, interval: 50 }
const env = { ORBWEAVER_FAULTS: `lease=${LEASE_MS}` }
const plan = new WebPlan({ sites: 24, pages: 2_400, sizes: Array.from({ length: 24 }, () => 100), seed: 9 })
const knobs = { latencyMs: 10, latencySpread: 0.95 }
const log: ServedRequest[] = []
const out = temporary('crawl')
const running: RunningCommand[] = []
let postgres: PostgresServer
let proxy: TcpProxy
let web: WebServer

beforeAll(async () => {
  postgres = await PostgresServer.start()
  proxy = await TcpProxy.listen('127.0.0.1', postgres.port)
  web = await WebServer.listen(plan, { ...knobs, clock, port: 0, onServed: served => log.push(served) })
})
afterAll(async () => {
  for (const command of running) command.process.kill('SIGKILL')
  await web.close()
  await proxy.close()
  await postgres.remove()
})

function run(args: readonly string[]): RunningCommand {
  const command = start(args, env)
  running.push(command)
  return command
}

/** The crawl as another machine names it that has another way to the database. */
function throughProxy(): readonly string[] {
  const ledger = postgres.url().replace(`:${postgres.port}/`, `:${proxy.port}/`)
  return ['--ledger', ledger, '--name', NAME, '--store', out]
}

describe('a crawl by four processes', () => {
  let audit: Audit
  let agents: readonly RunningCommand[]
  let ends: readonly (number | null)[]
  let whole: RealRun

  const crawlThroughIt = async () => {
    const flags = ['--scope', 'any', '--resolve', '*.test=127.0.0.1', '--contact', 'https://example.org/']
    const pace = ['--delay', String(DELAY_MS), '--rate', '20', '--lanes', '6']
    const ledger = ['--ledger', postgres.url(), '--name', NAME]
    const crawl = run(['crawl', web.seed, ...flags, ...pace, ...ledger, '--out', out])
    const asked = async (share: number) => {
      for (; web.counts().requests < share * plan.pages; await sleep(20))
        expect(crawl.process.exitCode, crawl.said()).toBeNull()
    }
    await auditPostgres(postgres.url(), NAME)
    agents = [[out], [out], throughProxy()].map(crawl => run(['agent', ...crawl]))
    await vi.waitFor(async () => expect(new Set(await crawling()).size).toBe(4), PATIENCE)
    await orbweaver(['set', out, 'rate=120'])
    await asked(0.2)
    const [killed, frozen] = agents
    killed.process.kill('SIGKILL')
    frozen.process.kill('SIGSTOP')
    proxy.cutOff()
    await sleep(2.5 * LEASE_MS)
    frozen.process.kill('SIGCONT')
    proxy.heal()
    await asked(0.55)
    await postgres.kill()
    await sleep(300)
    await postgres.start()
    await asked(0.65)
    for (let cut = 1; cut <= 5; cut++) {
      await sleep(137)
      await cutEverybody()
    }
    const { code, stderr } = await crawl.ended
    expect(code, stderr).toBe(0)
    ends = (await Promise.all(agents.map(({ ended }) => ended))).map(end => end.code)
    audit = await postgresAudit(postgres.url(), NAME)
  }

  /** Names of the agents that have an incarnation. */
  async function crawling(): Promise<string[]> {
    return withLedger(async ledger =>
      (await ledger.agents()).filter(({ lanes }) => lanes > 0).map(({ name }) => name),
    )
  }

  async function withLedger<T>(
    task: (ledger: Awaited<ReturnType<typeof openPostgresLedger>>) => Promise<T>,
  ): Promise<T> {
    const place = readPostgresUrl(postgres.url()) as PostgresPlace
    const ledger = await openPostgresLedger({ place, crawl: NAME, create: false, clock })
    return task(ledger).finally(() => ledger.close())
  }

  async function cutEverybody(): Promise<void> {
    const client = new Client({ connectionString: postgres.url() })
    await client.connect()
    await client.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'orbweaver'`,
    )
    await client.end()
  }

  beforeAll(async () => {
    await crawlThroughIt()
    const files = await withLedger(ledger => ledger.files())
    const { authority } = web
    whole = { audit, log, plan, knobs, authority, delayMs: DELAY_MS, ...(await storedPart(out, files)) }
  })

  it('ends with every page once, and so do its agents, all but the killed one', async () => {
    expect(ends).toEqual([null, 0, 0])
    const expected = [...truth(plan, web.authority)].sort()
    expect((await urlsWith(out, 'OK')).sort()).toEqual(expected)
    expect([...whole.pages].sort()).toEqual(expected)
  })

  it('who stood still or was cut off for too long lost its incarnation, and began another', () => {
    const incarnations = agents.map(({ process: { pid } }) => {
      const name = `${hostname()}:${pid}`
      return audit.notes.filter(({ kind, what }) => kind === 'join' && what === name).length
    })
    expect(incarnations[0]).toBe(1)
    expect(incarnations[1]).toBeGreaterThan(1)
    expect(incarnations[2]).toBeGreaterThan(1)
  })

  it('asks no site twice at once, nor within its delay (P5 across processes)', () => {
    expect(log.length).toBeGreaterThan(plan.pages)
    // All call from one address: as if every request came from another agent, none may overlap.
    const apart = log.map((request, i) => ({ ...request, from: String(i) }))
    expect(impolite(apart, { delayMs: DELAY_MS, plan, knobs, authority: web.authority })).toEqual([])
  })

  it('breaks no promise that the checker of the simulator can see', () => {
    expect(violationsOf(whole)).toEqual([])
  })

  describe('the checker notices', () => {
    const seen = (run: RealRun) => violationsOf(run).map(({ promise }) => promise)
    const noted = (notes: Audit['notes']): RealRun => ({ ...whole, audit: { ...audit, notes } })
    const commits = () => audit.notes.filter(({ kind }) => kind === 'commit')

    it('a pack that is forgotten (P2)', () => {
      const [first] = commits()
      expect(seen(noted(audit.notes.filter(note => note !== first)))).toContain('P2')
    })

    it('a page that is acknowledged twice, and one that is asked for again (P3)', () => {
      const [first] = commits()
      const shares = audit.shares.filter(({ pack }) => pack === first.what)
      const again = {
        ...audit,
        shares: [...audit.shares, ...shares.map(share => ({ ...share, pack: 'copy' }))],
      }
      const notes = [...audit.notes]
      notes.splice(notes.indexOf(first) + 1, 0, { ...first, what: 'copy' })
      expect(seen({ ...whole, audit: { ...again, notes } })).toContain('P3')
      const late = Math.max(...log.map(({ startMs }) => startMs)) + 1_000
      const page = log.find(({ status, target }) => status === 200 && target !== '/robots.txt')!
      expect(seen({ ...whole, log: [...log, { ...page, startMs: late, endMs: late }] })).toContain('P3')
    })

    it('a page that is not on the disk (P1)', () => {
      expect(seen({ ...whole, pages: whole.pages.slice(1) })).toContain('P1')
    })

    it('two requests within the delay (P5)', () => {
      const [first] = log
      const soon = { ...first, startMs: first.startMs + 1, target: '/robots.txt?again' }
      expect(seen({ ...whole, log: [...log, soon] })).toContain('P5')
    })

    it('a commit of an incarnation that is over, or under a lease that is not its own (P6)', () => {
      const [first] = commits()
      const zombie = { ...first, kind: 'leave' as const, at: first.at - 1 }
      const notes = [...audit.notes]
      notes.splice(notes.indexOf(first), 0, zombie)
      expect(seen(noted(notes))).toContain('P6')
      expect(seen(noted(audit.notes.map(note => (note === first ? { ...note, who: 99 } : note))))).toContain(
        'P6',
      )
    })

    it('a crawl that does not end (P7)', () => {
      expect(seen(noted(audit.notes.filter(({ kind }) => kind !== 'end')))).toContain('P7')
    })
  })
})
