/**
 * The machine of the database is lost, again and again, at moments drawn by lot: its synchronous standby is
 * promoted, found by all agents, and a new standby is made. A log outside of the database holds what was
 * acknowledged. Twice here; with ORBWEAVER_SOAK=1 (`npm run soak:failover`) ten times.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { systemClock } from '../../src/compose/index.js'
import { schemaOf } from '../../src/ledger/postgres/index.js'
import { SeededRandom } from '../../src/model/index.js'
import type { Report } from '../../src/report/index.js'
import { truth, WebPlan, WebServer } from '../../src/simulate/web/index.js'
import { checkWarcs, urlsWith } from '../kit/crawled.js'
import { notedPacks, UrlBook } from '../kit/noted-packs.js'
import { GENERATED, orbweaver, type RunningCommand, start, temporary } from '../kit/orbweaver.js'
import { PostgresServer } from '../kit/postgres.js'

const isSoak = process.env.ORBWEAVER_SOAK === '1'
const KILLS = isSoak ? 10 : 2
const SEED = isSoak ? Math.floor(Date.now() / 86_400_000) : 3
const AGENTS = 2
/** How often an agent commits, at least. */
const PACK_MS = 2_000
const PAGES_EACH = 350
const NAME = 'failover'
const LONGEST_MS = isSoak ? 1_200_000 : 300_000
const plan = new WebPlan({ sites: 12, pages: (KILLS + 1) * PAGES_EACH, seed: 8 })
const running: RunningCommand[] = []
let primary: PostgresServer
let standby: PostgresServer
let web: WebServer

beforeAll(async () => {
  primary = await PostgresServer.start({ fsync: true })
  standby = await primary.addStandby()
  web = await WebServer.listen(plan, { clock: systemClock, port: 0 })
})
afterAll(async () => {
  for (const command of running) command.process.kill('SIGKILL')
  await web.close()
  await primary.remove()
  await standby.remove()
})

it(
  `a crawl by several processes goes through ${KILLS} failovers, seed ${SEED}: all acknowledged is there, every page once`,
  async () => {
    const random = new SeededRandom(SEED)
    const out = temporary('crawl')
    const acks = temporary('acks')
    const env = { ORBWEAVER_FAULTS: `lease=6000,acks=${acks}` }
    const hosts = `127.0.0.1:${primary.port},127.0.0.1:${standby.port}`
    const ledger = ['--ledger', `postgres://orbweaver@${hosts}/postgres`, '--name', NAME]
    const agentPool = ['--agents', String(AGENTS), '--rate', '80', '--lanes', '5']
    const crawl = start(
      ['crawl', web.seed, ...GENERATED, ...agentPool, ...ledger, '--out', out, '--json'],
      env,
    )
    running.push(crawl)
    const acknowledged = () => (existsSync(acks) ? notedPacks(acks).length : 0)
    const until = async (isSo: () => boolean) => {
      for (; !isSo(); await sleep(2)) expect(crawl.process.exitCode, crawl.said()).toBeNull()
    }
    await until(() => acknowledged() > 0)
    const otherAgent = start(['agent', out], env)
    running.push(otherAgent)
    // Who finds no database at its start ends at once.
    await until(() => readFileSync(join(out, 'crawl.log'), 'utf8').includes('an agent joins'))
    for (let kill = 1; kill <= KILLS; kill++) {
      const before = acknowledged()
      await until(() => acknowledged() >= before + 2)
      await sleep(random.next() * PACK_MS)
      // Every second time right after an answer: what it acknowledges is milliseconds old.
      const last = acknowledged()
      if (kill % 2 === 0) await until(() => acknowledged() > last)
      await primary.kill()
      await sleep(random.next() * 1_000)
      await standby.promote()
      await expectAcknowledged(acks, standby)
      if (kill === KILLS) break
      const { port } = primary
      await primary.remove()
      primary = standby
      standby = await primary.addStandby(port)
    }
    await orbweaver(['set', out, 'rate=1000'])
    const { code, stderr, stdout } = await crawl.ended
    expect(code, stderr).toBe(0)
    expect((await otherAgent.ended).code).toBe(0)
    await expectAcknowledged(acks, standby)
    await expectEveryPageOnce(out, acks)
    expect((JSON.parse(stdout) as Report).warnings).toEqual([])
    expectNewIncarnations(out)
  },
  LONGEST_MS,
)

/** Packs that the log outside calls acknowledged and the database does not know: none. */
async function expectAcknowledged(acks: string, server: PostgresServer): Promise<void> {
  const noted = notedPacks(acks).map(({ pack }) => pack)
  const client = new Client({ connectionString: server.url() })
  await client.connect()
  const { rows } = await client.query<{ id: string }>(`SELECT id FROM "${schemaOf(NAME)}".pack`)
  await client.end()
  const known = new Set(rows.map(({ id }) => id))
  expect(noted.length).toBeGreaterThan(0)
  expect(noted.filter(pack => !known.has(pack))).toEqual([])
}

async function expectEveryPageOnce(out: string, acks: string): Promise<void> {
  const expected = [...truth(plan, web.authority)].sort()
  const stored = (await urlsWith(out, 'OK')).sort()
  expect(stored).toEqual(expected)
  const check = await checkWarcs(out)
  expect(check.problems).toEqual([])
  expect([...check.pages].sort()).toEqual(expected)
  const book = new UrlBook(expected)
  const once = new Map(notedPacks(acks).map(({ pack, journals }) => [pack, journals]))
  const acknowledged = [...once.values()]
    .flat()
    .flatMap(journal => book.settledIn(Buffer.from(journal, 'base64')))
    .flatMap(({ url, outcome }) => (outcome === 'OK' ? [url] : []))
  // A process that is killed after the commit and before the answer has nothing to note; none was.
  expect(acknowledged.sort()).toEqual(expected)
}

/**
 * What agents knew of the lost server they have forgotten: every failover ended the incarnations of all, the
 * guest's apart if it came late.
 */
function expectNewIncarnations(out: string): void {
  const events = readFileSync(join(out, 'crawl.log'), 'utf8')
    .split('\n')
    .slice(0, -1)
    .map(line => JSON.parse(line) as { event: string })
  const ended = events.filter(({ event }) => event.startsWith('the ledger has ended the incarnation'))
  expect(ended.length).toBeGreaterThanOrEqual(KILLS * AGENTS)
}
