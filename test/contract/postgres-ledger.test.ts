import { afterAll, beforeAll } from 'vitest'
import { openPostgresLedger } from '../../src/cluster/postgres-ledger.js'
import { systemClock as clock } from '../../src/compose/system.js'
import { type PostgresPlace, readPostgresUrl } from '../../src/model/postgres-url.js'
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
