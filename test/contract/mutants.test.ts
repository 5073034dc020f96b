/**
 * Every rule that the SQLite ledger keeps, switched off in its source: the contract's test of that rule,
 * which passes on the source as it is (`sqlite-ledger.test.ts`), must fail then.
 */
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { openSqliteLedger } from '../../src/ledger/sqlite/index.js'
import { ledgerContract } from './ledger-contract.js'
import { casesOf, Workshop } from './mutant-workshop.js'
import { LEDGER_MUTANTS } from './mutants.js'

let workshop: Workshop
beforeAll(() => {
  workshop = new Workshop()
})
afterAll(() => workshop.close())

interface Module {
  readonly openSqliteLedger: typeof openSqliteLedger
}

function openerOf(module: Module) {
  return async () => {
    let now = 1_000_000
    const path = join(mkdtempSync(join(workshop.folder, 'ledger-')), 'ledger.db')
    const ledger = module.openSqliteLedger(path, { create: true, now: () => now })
    return {
      ledger,
      advance: (ms: number) => {
        now += ms
      },
    }
  }
}

describe('a rule of the ledger that is switched off is noticed', () => {
  for (const mutant of LEDGER_MUTANTS) {
    it(mutant.rule, async () => {
      const open = openerOf(await workshop.compiled<Module>('sqlite/index.js', mutant))
      const test = casesOf(runner => ledgerContract('', open, runner)).get(mutant.caughtBy)
      expect(test, `the contract has a test "${mutant.caughtBy}"`).toBeDefined()
      await expect(test!()).rejects.toMatchObject({ name: 'AssertionError' })
    })
  }
})
