/** The store's slow work as promises; the thread starts with the first job, or when told to. */
import type { Worker } from 'node:worker_threads'
import type { TableWorker } from '../../data/store/index.js'
import type {
  Conversion,
  ConvertTask,
  ParquetInput,
  WrittenParquet,
} from '../../data/store/tables/parquet/index.js'
import type { IndexTask } from '../../data/store/warc/index.js'
import type { LearnedTask, LearnedTrouble, SiteCount } from '../../plan/learn/index.js'
import type { Platform } from '../platform/index.js'
import type { Heavy, LearnStep, Repartitioned, RepartitionTask, Routes, RouteTask } from '../routing/index.js'

export type StoreJob = { readonly id: number } & (
  | { readonly kind: 'convert'; readonly task: ConvertTask }
  | { readonly kind: 'concat'; readonly inputs: readonly ParquetInput[]; readonly outPath: string }
  | { readonly kind: 'schemas'; readonly paths: readonly string[] }
  | { readonly kind: 'index'; readonly task: IndexTask }
  | { readonly kind: 'route'; readonly task: RouteTask }
  | { readonly kind: 'repartition'; readonly task: RepartitionTask }
  | { readonly kind: 'learn'; readonly step: LearnStep }
)

export type StoreAnswer =
  | { readonly id: number; readonly ok: true; readonly value: unknown }
  | {
      readonly id: number
      readonly ok: false
      readonly message: string
      readonly code?: string
      readonly path?: string
    }

type Job = StoreJob extends infer J ? (J extends StoreJob ? Omit<J, 'id'> : never) : never

export class StoreWorker implements TableWorker {
  readonly #startThread: Platform['startThread']
  readonly #waiting = new Map<number, { resolve(value: unknown): void; reject(reason: Error): void }>()
  #thread: Worker | null = null
  #learning: Promise<unknown> = Promise.resolve()
  #lastId = 0
  /** After a failed crawl, work that is still under way must not start the thread again. */
  #isClosed = false

  constructor(startThread: Platform['startThread']) {
    this.#startThread = startThread
  }

  /**
   * Starts the thread before there is a job for it: while a thread starts, V8 lets the young generations of
   * all threads grow, also that of a running crawl.
   */
  start(): void {
    if (!this.#isClosed) this.#started()
  }

  convert(task: ConvertTask): Promise<Conversion> {
    return this.#do({ kind: 'convert', task }) as Promise<Conversion>
  }

  concat(inputs: readonly ParquetInput[], outPath: string): Promise<WrittenParquet> {
    return this.#do({ kind: 'concat', inputs, outPath }) as Promise<WrittenParquet>
  }

  groupBySchema(paths: readonly string[]): Promise<number[][]> {
    return this.#do({ kind: 'schemas', paths }) as Promise<number[][]>
  }

  route(task: RouteTask): Promise<Routes | Heavy> {
    return this.#do({ kind: 'route', task }) as Promise<Routes | Heavy>
  }

  repartition(task: RepartitionTask): Promise<Repartitioned> {
    return this.#do({ kind: 'repartition', task }) as Promise<Repartitioned>
  }

  /**
   * Writes `learned/` from batches of sites; `task` is called after the last batch. Calls are run one after
   * the other.
   */
  learn(
    batches: AsyncIterable<readonly SiteCount[]>,
    task: () => Promise<LearnedTask>,
  ): Promise<LearnedTrouble | null> {
    const step = (step: LearnStep) => this.#do({ kind: 'learn', step }) as Promise<LearnedTrouble | null>
    const learned = this.#learning.then(async () => {
      await step({ at: 'begin' })
      for await (const counts of batches) await step({ at: 'sites', counts })
      return step({ at: 'end', task: await task() })
    })
    this.#learning = learned.catch(() => {})
    return learned
  }

  async sortIndex(task: IndexTask): Promise<void> {
    await this.#do({ kind: 'index', task })
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#thread?.terminate()
    this.#thread = null
  }

  #do(job: Job): Promise<unknown> {
    if (this.#isClosed) return Promise.reject(new Error('the store has been closed'))
    return new Promise((resolve, reject) => {
      const id = ++this.#lastId
      this.#waiting.set(id, { resolve, reject })
      this.#started().postMessage({ ...job, id })
    })
  }

  #started(): Worker {
    if (this.#thread) return this.#thread
    const thread = this.#startThread('store-thread', null)
    thread.on('message', (answer: StoreAnswer) => {
      const entry = this.#waiting.get(answer.id)
      this.#waiting.delete(answer.id)
      if (answer.ok) entry?.resolve(answer.value)
      else entry?.reject(Object.assign(new Error(answer.message), { code: answer.code, path: answer.path }))
    })
    thread.on('error', error => {
      for (const { reject } of this.#waiting.values()) reject(error as Error)
      this.#waiting.clear()
    })
    this.#thread = thread
    return thread
  }
}
