/** The ledger in a thread of its own, and a wire to it for every agent. */
import { MessageChannel, type MessagePort, type Worker } from 'node:worker_threads'
import { type Ledger, threadLedger } from '../cluster/index.js'
import { startThread } from './thread.js'

export class LedgerThread {
  readonly #thread: Worker
  readonly ledger: Ledger

  constructor(path: string) {
    this.#thread = startThread('ledger-thread', { path })
    this.ledger = threadLedger(this.#thread)
  }

  /** The end of a new wire: whoever gets it can call the ledger from its own thread. */
  connect(): MessagePort {
    const wire = new MessageChannel()
    this.#thread.postMessage(wire.port1, [wire.port1])
    return wire.port2
  }
}
