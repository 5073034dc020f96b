import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'libsql'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { systemClock as clock } from '../../src/compose/index.js'
import { openPostgresLedger, schemaOf } from '../../src/ledger/postgres/index.js'
import { openSqliteLedger } from '../../src/ledger/sqlite/index.js'
import { type PostgresPlace, readPostgresUrl } from '../../src/model/url/index.js'
import { testDatabase } from '../kit/postgres.js'
import { ledgerContract } from './ledger-contract.js'

let database: Awaited<ReturnType<typeof testDatabase>>
let count = 0
beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database.remove())

ledgerContract('ledger on PostgreSQL', async () => {
  let now = 1_000_000
  const place = readPostgresUrl(database.url) as PostgresPlace
  const crawl = `contract ${++count}`
  const ledger = await openPostgresLedger({
    place,
    crawl,
    create: true,
    clock,
    timeSql: () => `${now}::bigint`,
  })
  return {
    ledger,
    advance: ms => {
      now += ms
    },
  }
})

/** What many writers at once need, and one does not. */
const ONLY_HERE = [
  'agent.timeline',
  'crawl.era',
  'crawl.first_x',
  'crawl.system_id',
  'crawl.timeline',
  'schema_version.version',
]

/** One writer may put many rows of an inbox into one; many writers keep each by its transaction. */
const isOfInbox = (column: string): boolean => column.startsWith('inbox')

it('has the tables of SQLite, column by column, but for inboxes, and what is its own', async () => {
  const path = join(mkdtempSync(join(tmpdir(), 'orb-schema-')), 'ledger.db')
  await openSqliteLedger(path, { create: true, now: () => 0 }).close()
  const sqlite = new Database(path)
  const there = sqlite
    .prepare(
      `SELECT t.name || '.' || c.name FROM sqlite_master t, pragma_table_info(t.name) c
       WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%'`,
    )
    .raw()
    .all() as [string][]
  sqlite.close()
  const place = readPostgresUrl(database.url) as PostgresPlace
  await (await openPostgresLedger({ place, crawl: 'columns', create: true, clock })).close()
  const client = new Client({ connectionString: database.url })
  await client.connect()
  const here = await client.query<{ name: string }>(
    `SELECT table_name || '.' || column_name AS name FROM information_schema.columns WHERE table_schema = $1`,
    [schemaOf('columns')],
  )
  await client.end()
  const names = here.rows.map(({ name }) => name)
  const shared = names.filter(name => !isOfInbox(name))
  expect(shared.sort()).toEqual([...there.flat().filter(name => !isOfInbox(name)), ...ONLY_HERE].sort())
  expect(names.filter(isOfInbox)).toContain('inbox.position')
})
