/**
 * What can be wrong with the database of a crawl: a line that says it, the documented exit code, and nothing
 * is lost.
 *
 * @module-tag deep
 */
import { writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, type DatabaseError } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../src/compose/index.js'
import { schemaOf } from '../../src/ledger/postgres/index.js'
import { truth, WebPlan, WebServer } from '../../src/simulate/web/index.js'
import { makeCertificate } from '../kit/certificate.js'
import { urlsWith } from '../kit/crawled.js'
import { type Ended, GENERATED, orbweaver, type RunningCommand, start, temporary } from '../kit/orbweaver.js'
import { PostgresServer } from '../kit/postgres.js'

const EXIT = { done: 0, disk: 3, config: 4, ledger: 7, limit: 10 }
const PASSWORD = 'said-to-nobody'
const env = { PGPASSWORD: PASSWORD }
/** Half a block more than this: the tables of PostgreSQL itself have to fit. */
const SMALL_FILE = 4 * 2 ** 20 + 4_096
const plan = new WebPlan({ sites: 8, pages: 400, seed: 6 })
const authority = makeCertificate({ name: 'Own Authority', authority: true })
const tls = makeCertificate({ name: 'localhost', hosts: ['localhost'], issuer: authority })
let postgres: PostgresServer
let web: WebServer
let expected: string[]

beforeAll(async () => {
  postgres = await PostgresServer.start({ password: PASSWORD, tls, fileBytes: SMALL_FILE })
  web = await WebServer.listen(plan, { clock: systemClock, port: 0 })
  expected = [...truth(plan, web.authority)].sort()
})
afterAll(async () => {
  await web.close()
  await postgres.remove()
})

const crawl = (out: string, name: string, ...more: string[]) => {
  const ledger = more.includes('--ledger') ? [] : ['--ledger', postgres.url()]
  return ['crawl', web.seed, ...GENERATED, '--out', out, '--name', name, ...ledger, ...more]
}

async function ask<T extends object>(sql: string): Promise<T[]> {
  const client = new Client({ connectionString: postgres.url().replace('@', `:${PASSWORD}@`) })
  client.on('error', () => {})
  await client.connect()
  return (await client.query<T>(sql).finally(() => client.end())).rows
}

/** One line, without the password. */
function expectFailure({ code, stderr }: Ended, exit: number, line: RegExp): void {
  expect(code, stderr).toBe(exit)
  expect(stderr.split('\n').filter(text => line.test(text))).toHaveLength(1)
  expect(stderr).not.toContain(PASSWORD)
  expect(stderr).not.toMatch(/\n\s+at /)
}

async function expectAll(out: string, end: Ended): Promise<void> {
  expect(end.code, end.stderr).toBe(EXIT.done)
  expect((await urlsWith(out, 'OK')).sort()).toEqual(expected)
}

async function untilAsked(requests: number, { process: child, said }: RunningCommand): Promise<void> {
  for (const most = web.counts().requests + requests; web.counts().requests < most; await sleep(10))
    expect(child.exitCode, said()).toBeNull()
}

/** A crawl of which ten pages are there. */
async function begun(name: string): Promise<string> {
  const out = temporary('crawl')
  expect((await orbweaver(crawl(out, name, '--max-pages', '10'), env)).code).toBe(EXIT.limit)
  return out
}

describe('a crawl that was begun', () => {
  it('with a wrong password is told so by every command, and goes on with the right one', async () => {
    const out = await begun('password')
    for (const command of ['resume', 'agent']) {
      const refused = await orbweaver([command, out], { PGPASSWORD: 'mistaken' })
      expectFailure(refused, EXIT.ledger, /refuses this user; check the password/)
      expect(refused.stderr).not.toContain('mistaken')
    }
    await orbweaver(['set', out, 'maxPages='], env)
    await expectAll(out, await orbweaver(['resume', out], env))
  })

  it('of a newer version is left alone, one of an older version is brought up and goes on', async () => {
    const out = await begun('versions')
    const schema = `"${schemaOf('versions')}"`
    await ask(`UPDATE ${schema}.schema_version SET version = version + 1`)
    for (const command of ['resume', 'agent'])
      expectFailure(await orbweaver([command, out], env), EXIT.ledger, /newer version of orbweaver; update/)
    // As the step before the last has left it.
    await ask(`UPDATE ${schema}.schema_version SET version = version - 2;
      ALTER TABLE ${schema}.file DROP COLUMN crc32`)
    await orbweaver(['set', out, 'maxPages='], env)
    await expectAll(out, await orbweaver(['resume', out], env))
  })

  it('and is no longer in the database is not begun again over its pages', async () => {
    const out = await begun('unknown')
    await ask(`DROP SCHEMA "${schemaOf('unknown')}" CASCADE`)
    for (const command of ['resume', 'status'])
      expectFailure(await orbweaver([command, out], env), EXIT.config, /there is no crawl named "unknown"/)
    expect(await urlsWith(out, 'OK')).toHaveLength(10)
  })
})

it('of two crawls with one name that begin together one is refused, and the other is whole', async () => {
  const outs = [temporary('crawl'), temporary('crawl')]
  const ends = await Promise.all(outs.map(out => orbweaver(crawl(out, 'twins'), env)))
  const refused = ends.findIndex(({ code }) => code !== EXIT.done)
  expectFailure(ends[refused], EXIT.config, /there is a crawl named "twins".*choose another --name/)
  await expectAll(outs[1 - refused], ends[1 - refused])
})

it('a database that is gone for several leases is waited for: said once, and so is its return', async () => {
  const out = temporary('crawl')
  const leaseMs = 1_500
  const running = start(crawl(out, 'gone', '--rate', '60'), { ...env, ORBWEAVER_FAULTS: `lease=${leaseMs}` })
  await untilAsked(100, running)
  await postgres.stop()
  await sleep(4 * leaseMs)
  expect(running.process.exitCode, running.said()).toBeNull()
  await postgres.start()
  const end = await running.ended
  await expectAll(out, end)
  expect(end.stderr.match(/does not answer.*the crawl waits for it/g)).toHaveLength(1)
  expect(end.stderr.match(/the database answers again, after \d+ s/g)).toHaveLength(1)
  await postgres.stop()
  const absent = temporary('crawl')
  const atStart = await orbweaver(crawl(absent, 'absent'), env).finally(() => postgres.start())
  expectFailure(atStart, EXIT.ledger, /^orbweaver: postgres:.*does not answer/)
})

describe('TLS', () => {
  const url = () => `postgres://orbweaver@localhost:${postgres.port}/postgres`
  const mayConnect = (mode: string, extra: Record<string, string>, place = url()) =>
    orbweaver(crawl(temporary('crawl'), `tls ${mode} ${count++}`, '--ledger', place, '--max-pages', '1'), {
      ...env,
      PGSSLMODE: mode,
      ...extra,
    })
  let count = 0
  let trust: Record<string, string>

  beforeAll(() => {
    const file = temporary('authority.pem')
    writeFileSync(file, authority.cert)
    trust = { NODE_EXTRA_CA_CERTS: file }
  })

  it('is used with PGSSLMODE=require and verify-full, with an authority of our own', async () => {
    for (const mode of ['require', 'verify-full'])
      expect((await mayConnect(mode, trust)).code).toBe(EXIT.limit)
    const running = start(crawl(temporary('crawl'), 'tls seen', '--ledger', url(), '--rate', '20'), {
      ...env,
      ...trust,
      PGSSLMODE: 'require',
    })
    await untilAsked(5, running)
    const seen = await ask<{ ssl: boolean }>(
      `SELECT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name = 'orbweaver'`,
    )
    running.process.kill('SIGKILL')
    expect(seen.length).toBeGreaterThan(0)
    expect(seen.every(({ ssl }) => ssl)).toBe(true)
  })

  it('is refused to a server whose authority is not known, or whose name is another', async () => {
    for (const mode of ['require', 'verify-full'])
      expectFailure(
        await mayConnect(mode, {}),
        EXIT.ledger,
        /certificate of .* is not trusted.*NODE_EXTRA_CA_CERTS/,
      )
    await restartedWith(['hostssl all all 127.0.0.1/32 scram-sha-256'], async () => {
      expectFailure(
        await mayConnect('disable', {}),
        EXIT.ledger,
        /wants an encrypted connection; set PGSSLMODE=require/,
      )
    })
  })

  /** With other rules of access; a session that is open keeps what it has. */
  async function restartedWith(rules: readonly string[], task: () => Promise<void>): Promise<void> {
    const before = postgres.access(rules)
    postgres.reload()
    await sleep(500)
    try {
      await task()
    } finally {
      postgres.access(before)
      postgres.reload()
    }
  }
})

it('a disk that is full ends the crawl, with room again it goes on: nothing is lost', async () => {
  const out = temporary('crawl')
  const running = start(crawl(out, 'full', '--rate', '60'), env)
  await untilAsked(60, running)
  await fill('full')
  expectFailure(
    await running.ended,
    EXIT.disk,
    /the disk of postgres:.* is full; free some space there, then resume/,
  )
  const still = await orbweaver(['resume', out], env)
  expectFailure(still, EXIT.disk, /is full/)
  await postgres.stop()
  postgres.liftLimit()
  await postgres.start()
  await ask(`DELETE FROM "${schemaOf('full')}".pack WHERE incarnation = 0`)
  await expectAll(out, await orbweaver(['resume', out], env))
})

/** Packs of nobody, as long as real ones, until the file of their table can take no more. */
async function fill(name: string): Promise<void> {
  const rows = `INSERT INTO "${schemaOf(name)}".pack SELECT lpad(n::text, 36, '0'), 0, 0, 0 FROM generate_series`
  let last = 0
  for (const step of [5_000, 100, 1])
    for (;;) {
      try {
        await ask(`${rows}(${last + 1}, ${last + step}) AS n`)
        last += step
      } catch (error) {
        // Since version 16 a limit on files has no code of its own, as a full disk has: only the words are
        // the same.
        const { code, message } = error as DatabaseError
        expect(code === '53100' || message.startsWith('could not extend file'), `${code}: ${message}`).toBe(
          true,
        )
        break
      }
    }
}
