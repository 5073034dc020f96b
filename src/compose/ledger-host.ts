/**
 * The ledger of a crawl that this process runs, and a way to it for every agent that has a thread of its own.
 */
import { MessageChannel, type MessagePort, type Worker } from 'node:worker_threads'
import type { Ledger } from '../ledger/index.js'
import { threadLedger } from '../ledger/remote/index.js'
import type { CrawlInDatabase } from './open-ledger.js'
import { startThread } from './thread.js'

export interface LedgerHost {
  readonly ledger: Ledger
  /** What an agent's thread is given: the end of a new wire, or where to connect to. */
  connect(): MessagePort | CrawlInDatabase
}

/** SQLite, in a thread of its own. */
export class LedgerThread implements LedgerHost {
  readonly #thread: Worker
  readonly ledger: Ledger

  constructor(path: string) {
    this.#thread = startThread('ledger-thread', { path }, { keepsFiles: true })
    this.ledger = threadLedger(this.#thread)
  }

  connect(): MessagePort {
    const wire = new MessageChannel()
    this.#thread.postMessage(wire.port1, [wire.port1])
    return wire.port2
  }
}
