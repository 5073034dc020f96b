import { openMemoryLedger } from '../../src/ledger/memory/index.js'
import { ledgerContract } from './ledger-contract.js'

ledgerContract('ledger in memory', async () => {
  let now = 1_000_000
  return {
    ledger: openMemoryLedger(() => now),
    advance: ms => {
      now += ms
    },
  }
})
