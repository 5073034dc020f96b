import { Client } from 'pg'
import { afterAll, beforeAll } from 'vitest'
import { schemaOf } from '../../src/cluster/postgres-crawls.js'
import { openPostgresLedger } from '../../src/cluster/postgres-ledger.js'
import { systemClock as clock } from '../../src/compose/system.js'
import { type PostgresPlace, readPostgresUrl } from '../../src/model/postgres-url.js'
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
