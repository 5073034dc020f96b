import { Client } from 'pg'
import { afterAll, beforeAll } from 'vitest'
import { systemClock as clock } from '../../src/compose/index.js'
import { openPostgresLedger, schemaOf } from '../../src/ledger/postgres/index.js'
import { type PostgresPlace, readPostgresUrl } from '../../src/model/url/index.js'
import { testDatabase } from '../kit/postgres.js'
import { heldOpen } from './postgres-held-open.js'

let database: Awaited<ReturnType<typeof testDatabase>>
let count = 0
beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database.remove())

heldOpen('a transaction held open', async () => {
  const { url } = database
  const crawl = `held ${++count}`
  const place = readPostgresUrl(url) as PostgresPlace
  const ledger = await openPostgresLedger({ place, crawl, create: true, clock })
  const other = new Client({ connectionString: url })
  await other.connect()
  await other.query(`SET search_path = "${schemaOf(crawl)}"`)
  return { ledger, other, url }
})
