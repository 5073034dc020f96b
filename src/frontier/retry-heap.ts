/** URLs that wait for their next try, the earliest first; of two with the same time, the one that came first. */
import type { Millis } from '../model/clock.js'
import type { QueueEntry } from './cell-queue.js'

interface Waiting {
  readonly entry: QueueEntry
  readonly notBefore: Millis
  readonly order: number
}

export class RetryHeap {
  readonly #heap: Waiting[] = []
  #lastOrder = 0

  get size(): number {
    return this.#heap.length
  }

  get firstAt(): Millis | null {
    return this.#heap.length === 0 ? null : this.#heap[0].notBefore
  }

  push(entry: QueueEntry, notBefore: Millis): void {
    const heap = this.#heap
    const waiting = { entry, notBefore, order: ++this.#lastOrder }
    let at = heap.length
    heap.push(waiting)
    while (at > 0) {
      const parent = (at - 1) >>> 1
      if (!isBefore(waiting, heap[parent])) break
      heap[at] = heap[parent]
      at = parent
    }
    heap[at] = waiting
  }

  /** The first whose time has come, or null. */
  next(now: Millis): QueueEntry | null {
    if (this.#heap.length === 0 || this.#heap[0].notBefore > now) return null
    const first = this.#heap[0]
    const last = this.#heap.pop()!
    if (this.#heap.length > 0) this.#sink(last)
    return first.entry
  }

  /** Puts `waiting` in the place of the first and moves it down to where it belongs. */
  #sink(waiting: Waiting): void {
    const heap = this.#heap
    let at = 0
    for (;;) {
      let child = at * 2 + 1
      if (child >= heap.length) break
      if (child + 1 < heap.length && isBefore(heap[child + 1], heap[child])) child++
      if (!isBefore(heap[child], waiting)) break
      heap[at] = heap[child]
      at = child
    }
    heap[at] = waiting
  }
}

function isBefore(a: Waiting, b: Waiting): boolean {
  return a.notBefore < b.notBefore || (a.notBefore === b.notBefore && a.order < b.order)
}
