/** Entry of the ledger's thread. */
import { parentPort, workerData } from 'node:worker_threads'
import { LedgerServer } from '../ledger/remote/index.js'
import { SqliteCore } from '../ledger/sqlite/index.js'
import { systemClock } from './system-clock.js'

const { path } = workerData as { path: string }
const core = SqliteCore.open(path, { create: false, now: systemClock.now, isCrawling: true })
new LedgerServer(core, systemClock.soon).serve(parentPort!)
