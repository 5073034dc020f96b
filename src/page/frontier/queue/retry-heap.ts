/** URLs waiting for their next attempt, by time, then in order of arrival. */
import { Heap, type Millis } from '../../../model/index.js'
import type { QueueEntry } from './cell-queue.js'

interface Waiting {
  readonly entry: QueueEntry
  readonly notBefore: Millis
  readonly order: number
}

export class RetryHeap {
  readonly #heap = new Heap<Waiting>(isBefore)
  #lastOrder = 0

  get size(): number {
    return this.#heap.size
  }

  get firstAt(): Millis | null {
    return this.#heap.first?.notBefore ?? null
  }

  push(entry: QueueEntry, notBefore: Millis): void {
    this.#heap.push({ entry, notBefore, order: ++this.#lastOrder })
  }

  /** The first URL whose time has come, or null. */
  next(now: Millis): QueueEntry | null {
    const { first } = this.#heap
    if (first === undefined || first.notBefore > now) return null
    this.#heap.shift()
    return first.entry
  }
}

function isBefore(a: Waiting, b: Waiting): boolean {
  return a.notBefore < b.notBefore || (a.notBefore === b.notBefore && a.order < b.order)
}
