/** Entry of the ledger's thread. */
import { parentPort, workerData } from 'node:worker_threads'
import { SqliteCore } from '../cluster/sqlite-ledger.js'
import { LedgerServer } from '../cluster/thread-ledger.js'
import { systemClock } from './system.js'

const { path } = workerData as { path: string }
const core = new SqliteCore(path, { create: false, now: systemClock.now })
new LedgerServer(core, systemClock.soon).serve(parentPort!)
