/** Entry of the ledger's thread. */
import { parentPort, workerData } from 'node:worker_threads'
import { SqliteCore } from '../cluster/sqlite-ledger.js'
import { LedgerServer } from '../cluster/thread-ledger.js'
import { systemClock } from './system.js'

const { path } = workerData as { path: string }
const core = SqliteCore.open(path, { create: false, now: systemClock.now, isCrawling: true })
new LedgerServer(core, systemClock.soon).serve(parentPort!)
