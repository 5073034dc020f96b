import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSqliteLedger } from '../../src/ledger/sqlite/index.js'
import { ledgerContract } from './ledger-contract.js'

ledgerContract('ledger on SQLite', async () => {
  let now = 1_000_000
  const path = join(mkdtempSync(join(tmpdir(), 'orb-ledger-')), 'ledger.db')
  const ledger = openSqliteLedger(path, { create: true, now: () => now })
  return {
    ledger,
    advance: ms => {
      now += ms
    },
  }
})
