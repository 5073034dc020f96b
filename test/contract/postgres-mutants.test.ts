/** Rules of the ledger on PostgreSQL, switched off in its source: the test of that rule must fail then. */
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock as clock } from '../../src/compose/index.js'
import { type openPostgresLedger, schemaOf } from '../../src/ledger/postgres/index.js'
import { type PostgresPlace, readPostgresUrl } from '../../src/model/url/index.js'
import { testDatabase } from '../kit/postgres.js'
import { ledgerContract } from './ledger-contract.js'
import { casesOf, Workshop } from './mutant-workshop.js'
import { heldOpen } from './postgres-held-open.js'
import { POSTGRES_MUTANTS } from './postgres-mutants.js'

/** A mutant that does not wait where it should would let a test wait for ever. */
const PATIENCE_MS = 1_500

let workshop: Workshop
let database: Awaited<ReturnType<typeof testDatabase>>
let count = 0
beforeAll(async () => {
  workshop = new Workshop()
  database = await testDatabase()
})
afterAll(async () => {
  workshop.close()
  await database.remove()
})

interface Module {
  readonly openPostgresLedger: typeof openPostgresLedger
}

function openersOf(module: Module) {
  const options = () => ({
    place: readPostgresUrl(database.url) as PostgresPlace,
    crawl: `mutant ${++count}`,
    create: true,
    clock,
  })
  const still = async () => {
    let now = 1_000_000
    const ledger = await module.openPostgresLedger({ ...options(), timeSql: () => `${now}::bigint` })
    return {
      ledger,
      advance: (ms: number) => {
        now += ms
      },
    }
  }
  const shared = async () => {
    const { url } = database
    const { crawl, ...rest } = options()
    const ledger = await module.openPostgresLedger({ ...rest, crawl })
    const other = new Client({ connectionString: url })
    await other.connect()
    await other.query(`SET search_path = "${schemaOf(crawl)}"`)
    return { ledger, other, url }
  }
  return { still, shared }
}

describe('a rule of the ledger on PostgreSQL that is switched off is noticed', () => {
  for (const mutant of POSTGRES_MUTANTS) {
    it(mutant.rule, async () => {
      const { still, shared } = openersOf(await workshop.compiled<Module>('postgres/index.js', mutant))
      const cases = casesOf(runner => {
        ledgerContract('', still, runner)
      })
      const held = casesOf(runner => heldOpen('', shared, runner, PATIENCE_MS))
      const test = cases.get(mutant.caughtBy) ?? held.get(mutant.caughtBy)
      expect(test, `there is a test "${mutant.caughtBy}"`).toBeDefined()
      await expect(test!()).rejects.toMatchObject({ name: 'AssertionError' })
    })
  }
})
