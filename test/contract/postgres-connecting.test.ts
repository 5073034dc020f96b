/**
 * The way to a ledger on PostgreSQL: several hosts, secrets that stay secret, and what is said when something
 * is wrong.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock as clock } from '../../src/compose/index.js'
import { type Ledger, LedgerError, retryingLedger } from '../../src/ledger/index.js'
import { type CopyPolicy, openPostgresLedger, schemaOf } from '../../src/ledger/postgres/index.js'
import { PostgresDatabase } from '../../src/ledger/postgres/postgres-database.js'
import { type PostgresPlace, readPostgresUrl } from '../../src/model/url/index.js'
import { PostgresServer } from '../kit/postgres.js'

const PASSWORD = 'open-sesame'
const LEASE = 10_000
const seeds = (cell: string, path = '/') => [
  { cell, group: cell, rows: [{ url: `http://${cell}${path}`, depth: 0, hops: 0, score: 0, via: '' }] },
]

let server: PostgresServer
let count = 0
beforeAll(async () => {
  server = await PostgresServer.start({ password: PASSWORD })
  process.env.PGPASSWORD = PASSWORD
})
afterAll(async () => {
  delete process.env.PGPASSWORD
  await server.remove()
})

const open = (url: string, crawl: string, create: boolean, copies: CopyPolicy = 'refuse') =>
  openPostgresLedger({ place: readPostgresUrl(url) as PostgresPlace, crawl, create, copies, clock })

async function failure(opening: Promise<unknown>): Promise<LedgerError> {
  const error = await opening.then(
    () => null,
    reason => reason,
  )
  expect(error).toBeInstanceOf(LedgerError)
  return error as LedgerError
}

async function withNewCrawl(task: (ledger: Ledger, crawl: string) => Promise<void>): Promise<void> {
  const crawl = `crawl ${++count}`
  const ledger = await open(server.url(), crawl, true)
  try {
    await task(ledger, crawl)
  } finally {
    await ledger.close()
  }
}

async function ask(sql: string): Promise<void> {
  const client = new Client({ connectionString: server.url() })
  client.on('error', () => {})
  await client.connect()
  await client.query(sql)
  await client.end()
}

describe('a ledger is named', () => {
  it('by its hosts, its user and its database, all but the host left to the environment', () => {
    expect(readPostgresUrl('postgres://me@one:1,two,[::1]:3/crawls')).toEqual({
      hosts: [
        { host: 'one', port: 1 },
        { host: 'two', port: 5432 },
        { host: '::1', port: 3 },
      ],
      user: 'me',
      database: 'crawls',
    })
    expect(readPostgresUrl('postgresql://one')).toMatchObject({ user: undefined, database: undefined })
  })

  it('without a password, and without what we would not heed', () => {
    const refused = readPostgresUrl(`postgres://me:${PASSWORD}@one/crawls`)
    expect(refused).toMatch(/PGPASSWORD/)
    expect(refused).not.toContain(PASSWORD)
    for (const url of [
      'postgres://',
      'mysql://one/a',
      'postgres://one/a?sslmode=require',
      'postgres://one:0/a',
    ])
      expect(readPostgresUrl(url), url).toBeTypeOf('string')
  })
})

describe('what is wrong is said in one line:', () => {
  it('a wrong password, and none; neither is told', async () => {
    for (const wrong of ['abracadabra', undefined]) {
      if (wrong === undefined) delete process.env.PGPASSWORD
      else process.env.PGPASSWORD = wrong
      const error = await failure(open(server.url(), 'x', true)).finally(() => {
        process.env.PGPASSWORD = PASSWORD
      })
      expect(error.kind).toBe('denied')
      expect(error.message).toMatch(/^postgres:\/\/orbweaver@127.0.0.1:\d+\/postgres refuses this user.*$/)
      expect(`${error.stack} ${JSON.stringify(error)}`).not.toContain('abracadabra')
    }
  })

  it('a user who may not make tables; nothing is left of the attempt', async () => {
    await ask(`CREATE ROLE poor LOGIN PASSWORD '${PASSWORD}'`)
    const error = await failure(open(server.url('postgres', 'poor'), 'poor', true))
    expect(error).toMatchObject({ kind: 'denied' })
    expect(error.message).toMatch(/what the user may do$/)
    await (await open(server.url(), 'poor', true)).close()
  })

  it('a database, or a crawl, that is not there, and a crawl that is', async () => {
    expect(await failure(open(server.url('nowhere'), 'x', true))).toMatchObject({ kind: 'missing' })
    expect(await failure(open(server.url(), 'never begun', false))).toMatchObject({ kind: 'missing' })
    await withNewCrawl(async (_, crawl) => {
      const error = await failure(open(server.url(), crawl, true))
      expect(error).toMatchObject({ kind: 'taken' })
      expect(error.message).toContain(crawl)
    })
  })

  it('a crawl of a newer version, and a copy of the database', async () => {
    await withNewCrawl(async (_, crawl) => {
      const schema = `"${schemaOf(crawl)}"`
      await ask(`UPDATE ${schema}.crawl SET system_id = '1'`)
      expect(await failure(open(server.url(), crawl, false))).toMatchObject({ kind: 'corrupt' })
      await ask(`UPDATE ${schema}.schema_version SET version = version + 1`)
      expect(await failure(open(server.url(), crawl, false))).toMatchObject({ kind: 'newer' })
    })
  })

  it('nobody there', async () => {
    const error = await failure(open('postgres://orbweaver@127.0.0.1:1/postgres', 'x', true))
    expect(error).toMatchObject({ kind: 'away' })
    expect(error.message).toContain('127.0.0.1:1')
  })
})

it('goes to the first host that can be written to', async () => {
  const standby = await PostgresServer.start({ password: PASSWORD, readOnly: true })
  try {
    const hosts = `127.0.0.1:1,127.0.0.1:${standby.port},127.0.0.1:${server.port}`
    const ledger = await open(`postgres://orbweaver@${hosts}/postgres`, 'several hosts', true)
    expect(await ledger.append(seeds('a.test'))).toBe(true)
    await ledger.close()
    const there = await open(server.url(), 'several hosts', false)
    expect((await there.totals()).backlog).toBe(1)
    await there.close()
    expect(await failure(open(standby.url(), 'x', true))).toMatchObject({ kind: 'away' })
  } finally {
    await standby.remove()
  }
})

it('two crawls in one database know nothing of each other', async () => {
  await withNewCrawl(async one => {
    await withNewCrawl(async two => {
      await one.append(seeds('a.test'))
      expect((await two.totals()).cells.waiting).toBe(0)
    })
  })
})

it('names of crawls may be as long as they like', () => {
  const names = ['a', 'b'].map(end => schemaOf(`${'é'.repeat(80)}${end}`))
  expect(new Set(names).size).toBe(2)
  for (const name of names) expect(Buffer.byteLength(name)).toBeLessThanOrEqual(63)
})

describe('a connection that is lost', () => {
  it('fails the call that was under way, and the next one has another', async () => {
    await withNewCrawl(async ledger => {
      await ledger.join('a')
      await ask(
        'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $$orbweaver$$',
      )
      const incarnations = await retryingLedger(ledger, clock).agents()
      expect(incarnations).toHaveLength(1)
    })
  })

  it('with its server, killed and started again: nothing acknowledged is lost, and nothing is done twice', async () => {
    await withNewCrawl(async plain => {
      const ledger = retryingLedger(plain, clock)
      const me = await ledger.join('a')
      await ledger.append(seeds('a.test'))
      await server.kill()
      expect(await failure(plain.totals())).toMatchObject({ kind: 'away' })
      const granted = ledger.grant(me, ['a.test'], LEASE, 0)
      await server.start()
      expect(await granted).toMatchObject([{ cell: 'a.test', epoch: 1 }])
      expect((await ledger.totals()).backlog).toBe(1)
    })
  })
})

it('a lease is not taken from its holder while a promoted server has not heard everybody', async () => {
  await withNewCrawl(async (ledger, crawl) => {
    const [a, b] = [await ledger.join('a'), await ledger.join('b')]
    await ledger.append(seeds('a.test'))
    await ledger.grant(a, ['a.test'], 1, 0)
    // As a standby finds it that writes on another timeline.
    await ask(`UPDATE "${schemaOf(crawl)}".crawl SET timeline = timeline + 1`)
    await new Promise(soon => setTimeout(soon, 20))
    expect(await ledger.waiting(9)).toEqual([])
    await ledger.heartbeat(b, LEASE, '{}')
    expect(await ledger.waiting(9)).toEqual([])
    expect((await ledger.heartbeat(a, LEASE, '{}')).held).toHaveLength(1)
  })
})

it('a resume makes a copy of the database its own: a new era, in which unread rows come first', async () => {
  await withNewCrawl(async (ledger, crawl) => {
    const paths = Array.from({ length: 9 }, (_, i) => `/${i}`)
    for (const path of paths.slice(0, 5)) await ledger.append(seeds('a.test', path))
    const [, second] = await ledger.readInbox('a.test', 0, 9)
    expect(second.url).toBe('http://a.test/1')
    // As if the transactions of the original had been counted much higher than those of the copy.
    await ask(`UPDATE "${schemaOf(crawl)}".crawl SET system_id = 'original', first_x = first_x + 1000000`)
    await ask(`UPDATE "${schemaOf(crawl)}".inbox SET position = position + 131072 * 1000000::bigint`)
    await failure(open(server.url(), crawl, false))
    const copy = await open(server.url(), crawl, false, 'adopt')
    for (const path of paths.slice(5)) await copy.append(seeds('a.test', path))
    expect((await copy.readInbox('a.test', 0, 20)).map(({ url }) => new URL(url).pathname)).toEqual(paths)
    await copy.close()
    await (await open(server.url(), crawl, false)).close()
  })
})

describe('the server says of itself', () => {
  it('that it is not as durable as it could be', async () => {
    await withNewCrawl(async ledger => {
      const { weaknesses } = await ledger.health(LEASE)
      expect(weaknesses.join('\n')).toMatch(/^fsync is off.*\n.*no synchronous standby.*$/)
    })
    await ask(`ALTER ROLE orbweaver SET synchronous_commit = off`)
    await withNewCrawl(async ledger => {
      expect((await ledger.health(LEASE)).weaknesses.join('\n')).toMatch(/\nsynchronous_commit is off/)
    })
    await ask(`ALTER ROLE orbweaver RESET synchronous_commit`)
  })

  it('who keeps inbox rows from being read: not who reads, nor who has just begun', async () => {
    await withNewCrawl(async ledger => {
      const [writer, reader] = [1, 2].map(
        () => new Client({ connectionString: server.url(), application_name: 'left open' }),
      )
      for (const client of [writer, reader]) await client.connect()
      await reader.query('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM pg_class')
      await writer.query('BEGIN; SELECT pg_current_xact_id()')
      await ledger.append(seeds('held.test'))
      expect(await ledger.readInbox('held.test', 0, 9)).toEqual([])
      expect((await ledger.health(60_000)).longTransactions).toEqual([])
      await sleep(60)
      const { longTransactions } = await ledger.health(50)
      expect(longTransactions).toHaveLength(1)
      expect(longTransactions[0].who).toMatch(
        /^user orbweaver, left open, from 127\.0\.0\.1, process \d+, database postgres, idle in/,
      )
      expect(longTransactions[0].openMs).toBeGreaterThan(50)
      await writer.query(`PREPARE TRANSACTION 'forgotten'`)
      await sleep(2)
      expect((await ledger.health(0)).longTransactions[0].who).toContain('prepared as forgotten')
      await writer.query(`ROLLBACK PREPARED 'forgotten'`)
      expect(await ledger.readInbox('held.test', 0, 9)).toHaveLength(1)
      for (const client of [writer, reader]) await client.end()
    })
  })
})

it('who stands still inside a transaction is cut off, lets others go on, and begins it again', async () => {
  await withNewCrawl(async (ledger, crawl) => {
    const place = readPostgresUrl(server.url()) as PostgresPlace
    const db = new PostgresDatabase({ place, schema: schemaOf(crawl) })
    let tries = 0
    const changed = await db.transaction(async tx => {
      tries++
      await tx.all('SELECT 1 FROM crawl FOR UPDATE')
      // Which waits for the row that is locked here.
      if (tries === 1) expect(await ledger.append(seeds('a.test'))).toBe(true)
      return tx.run('UPDATE crawl SET max_pages = 7')
    })
    expect([changed, tries]).toEqual([1, 2])
    await db.close()
  })
})
