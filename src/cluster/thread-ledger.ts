/**
 * The ledger in its own thread. It holds the only writing connection and commits all calls that wait together:
 * an fsync stops that thread, never the crawl.
 */
import type { MessagePort, Worker } from 'node:worker_threads'
import { type Ledger, LedgerError } from './ledger.js'
import { type LedgerMethod, ledgerOver, type SqliteCore } from './sqlite-ledger.js'

interface Call {
  readonly id: number
  readonly method: LedgerMethod | 'close'
  readonly args: readonly unknown[]
}

type Answer =
  | { readonly id: number; readonly ok: true; readonly value: unknown }
  | {
      readonly id: number
      readonly ok: false
      readonly message: string
      readonly kind: LedgerError['kind'] | null
    }

/** Caller's side: every call a message, every answer settles its promise. */
export function threadLedger(worker: Worker): Ledger {
  const waiting = new Map<number, { resolve(value: unknown): void; reject(reason: unknown): void }>()
  let lastId = 0
  let broken: Error | null = null
  const call = (method: Call['method'], args: readonly unknown[]): Promise<unknown> =>
    new Promise((resolve, reject) => {
      if (broken) return reject(broken)
      const id = ++lastId
      waiting.set(id, { resolve, reject })
      worker.postMessage({ id, method, args } satisfies Call)
    })
  const fail = (error: Error) => {
    broken = error
    for (const { reject } of waiting.values()) reject(error)
    waiting.clear()
  }
  worker.on('message', (answers: readonly Answer[]) => {
    for (const answer of answers) {
      const entry = waiting.get(answer.id)
      waiting.delete(answer.id)
      if (answer.ok) entry?.resolve(answer.value)
      else entry?.reject(errorOf(answer))
    }
  })
  worker.on('error', fail)
  worker.on('exit', code => fail(new Error(`the ledger thread ended (${code})`)))
  return ledgerOver(call, async () => {
    if (!broken) await call('close', [])
    await worker.terminate()
  })
}

/** Thread's side: collects what has arrived, runs it as one batch, answers after the commit. */
export function serveLedger(core: SqliteCore, port: MessagePort, soon: (task: () => void) => void): void {
  let queue: Call[] = []
  const flush = () => {
    const calls = queue
    queue = []
    const closing = calls.find(call => call.method === 'close')
    const batch = calls.filter(call => call.method !== 'close') as (Call & { method: LedgerMethod })[]
    const results = core.run(batch)
    const answers = results.map((result, i) => answerOf(batch[i].id, result))
    if (closing) {
      core.close()
      answers.push({ id: closing.id, ok: true, value: undefined })
    }
    port.postMessage(answers)
  }
  port.on('message', (call: Call) => {
    queue.push(call)
    if (queue.length === 1) soon(flush)
  })
}

function answerOf(id: number, result: PromiseSettledResult<unknown>): Answer {
  if (result.status === 'fulfilled') return { id, ok: true, value: result.value }
  const reason = result.reason as Error
  return { id, ok: false, message: reason.message, kind: reason instanceof LedgerError ? reason.kind : null }
}

function errorOf(answer: Answer & { ok: false }): Error {
  return answer.kind ? new LedgerError(answer.kind, answer.message) : new Error(answer.message)
}
