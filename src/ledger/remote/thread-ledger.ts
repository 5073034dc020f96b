/**
 * The ledger in its own thread. The thread has the only connection that writes, and commits all waiting calls
 * in one transaction. An fsync blocks only this thread, not the crawl.
 */

import { MessagePort, type Worker } from 'node:worker_threads'
import { addTo } from '../../model/index.js'
import { type Ledger, LedgerError } from '../index.js'
import { type LedgerMethod, ledgerOver, type SqliteCore } from '../sqlite/index.js'

interface Call {
  readonly id: number
  readonly method: LedgerMethod | 'close'
  readonly args: readonly unknown[]
}

/** Bounds the answers that are in memory at once: inboxes of hundreds of sites would be too large. */
const CALLS_PER_COMMIT = 64

type Answer =
  | { readonly id: number; readonly ok: true; readonly value: unknown }
  | {
      readonly id: number
      readonly ok: false
      readonly message: string
      readonly kind: LedgerError['kind'] | null
    }

/** The Worker object of the ledger's thread, or a MessagePort to it. */
interface Channel {
  postMessage(call: Call): void
  on(event: 'message', listener: (answers: readonly Answer[]) => void): unknown
}

/** The caller's side: sends every call as a message, and settles its promise with the answer. */
class Caller {
  readonly #channel: Channel
  readonly #waiting = new Map<number, { resolve(value: unknown): void; reject(reason: unknown): void }>()
  #lastId = 0
  #broken: Error | null = null

  constructor(channel: Channel) {
    this.#channel = channel
    channel.on('message', answers => {
      for (const answer of answers) this.#settle(answer)
    })
  }

  get isBroken(): boolean {
    return this.#broken !== null
  }

  call(method: Call['method'], args: readonly unknown[]): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#broken) return reject(this.#broken)
      const id = ++this.#lastId
      this.#waiting.set(id, { resolve, reject })
      this.#channel.postMessage({ id, method, args })
    })
  }

  fail(error: Error): void {
    this.#broken = error
    for (const { reject } of this.#waiting.values()) reject(error)
    this.#waiting.clear()
  }

  #settle(answer: Answer): void {
    const entry = this.#waiting.get(answer.id)
    this.#waiting.delete(answer.id)
    if (answer.ok) entry?.resolve(answer.value)
    else entry?.reject(errorOf(answer))
  }
}

/** The ledger for the thread that started the ledger's thread and ends it. */
export function threadLedger(worker: Worker): Ledger {
  const caller = new Caller(worker)
  worker.on('error', error => caller.fail(error as Error))
  worker.on('exit', code => caller.fail(new Error(`the ledger thread ended (${code})`)))
  return ledgerOver(
    (method, args) => caller.call(method, args),
    async () => {
      if (!caller.isBroken) await caller.call('close', [])
      await worker.terminate()
    },
  )
}

/** The ledger for another thread, over its own MessagePort. */
export function portLedger(port: MessagePort): Ledger {
  const caller = new Caller(port)
  port.on('close', () => caller.fail(new Error('the ledger is closed')))
  return ledgerOver(
    (method, args) => caller.call(method, args),
    async () => port.close(),
  )
}

/**
 * The thread's side: runs the calls that have arrived on all ports as one batch, and answers after the
 * commit.
 */
export class LedgerServer {
  readonly #core: SqliteCore
  readonly #soon: (task: () => void) => void
  readonly #queue: { readonly call: Call; readonly port: MessagePort }[] = []

  constructor(core: SqliteCore, soon: (task: () => void) => void) {
    this.#core = core
    this.#soon = soon
  }

  /** A message that is itself a port adds that port. */
  serve(port: MessagePort): void {
    port.on('message', (message: Call | MessagePort) => {
      if (message instanceof MessagePort) return this.serve(message)
      this.#queue.push({ call: message, port })
      if (this.#queue.length === 1) this.#soon(() => this.#flush())
    })
  }

  #flush(): void {
    const calls = this.#queue.splice(0, CALLS_PER_COMMIT)
    if (this.#queue.length > 0) this.#soon(() => this.#flush())
    const batch = calls.filter(({ call }) => call.method !== 'close')
    const results = this.#core.run(batch.map(({ call }) => call as Call & { method: LedgerMethod }))
    const answers = new Map<MessagePort, Answer[]>()
    for (const [i, result] of results.entries())
      addTo(answers, batch[i].port, answerOf(batch[i].call.id, result))
    const closing = calls.find(({ call }) => call.method === 'close')
    if (closing) {
      this.#core.close()
      addTo(answers, closing.port, { id: closing.call.id, ok: true, value: undefined })
    }
    for (const [port, batch] of answers) port.postMessage(batch)
  }
}

function answerOf(id: number, result: PromiseSettledResult<unknown>): Answer {
  if (result.status === 'fulfilled') return { id, ok: true, value: result.value }
  const reason = result.reason as Error
  return { id, ok: false, message: reason.message, kind: reason instanceof LedgerError ? reason.kind : null }
}

function errorOf(answer: Answer & { ok: false }): Error {
  return answer.kind ? new LedgerError(answer.kind, answer.message) : new Error(answer.message)
}
