/** Entry of the ledger's thread. */
import { parentPort, workerData } from 'node:worker_threads'
import { SqliteCore } from '../cluster/sqlite-ledger.js'
import { serveLedger } from '../cluster/thread-ledger.js'
import { systemClock } from './system.js'

const { path } = workerData as { path: string }
serveLedger(new SqliteCore(path, { create: false, now: systemClock.now }), parentPort!, systemClock.soon)
