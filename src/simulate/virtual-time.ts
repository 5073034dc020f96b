/**
 * Time that passes only when nothing is left to do now. One heap of events, run one by one; between two of them every
 * promise that can go on does, so a run depends on its seed alone and an hour costs no more than what happens in it.
 */
import type { Cancel, Millis } from '../model/clock.js'

interface Event {
  readonly at: Millis
  /** Equal times: who came first. */
  readonly order: number
  task: (() => void) | null
}

const SETTLED = Promise.resolve()

export class VirtualTime {
  readonly #heap: Event[] = []
  #now: Millis = 0
  #order = 0
  #events = 0

  get now(): Millis {
    return this.#now
  }

  /** Events run so far. */
  get events(): number {
    return this.#events
  }

  after(delayMs: Millis, task: () => void): Cancel {
    const event: Event = { at: this.#now + Math.max(0, delayMs), order: ++this.#order, task }
    this.#push(event)
    return () => {
      event.task = null
    }
  }

  /** Runs until `isOver` or until nothing can happen any more. */
  run(isOver: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const step = () => {
        try {
          if (isOver() || !this.#runOne()) return resolve()
        } catch (error) {
          return reject(error)
        }
        // A tick that is asked for by a microtask comes when all microtasks are done.
        process.nextTick(tick)
      }
      // What a promise calls costs half of what `queueMicrotask` does.
      const tick = () => void SETTLED.then(step)
      tick()
    })
  }

  #runOne(): boolean {
    for (;;) {
      const event = this.#pop()
      if (event === null) return false
      if (event.task === null) continue
      this.#now = event.at
      this.#events++
      event.task()
      return true
    }
  }

  #push(event: Event): void {
    const heap = this.#heap
    let at = heap.length
    heap.push(event)
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (!isBefore(event, heap[parent])) break
      heap[at] = heap[parent]
      at = parent
    }
    heap[at] = event
  }

  #pop(): Event | null {
    const heap = this.#heap
    if (heap.length === 0) return null
    const first = heap[0]
    const last = heap.pop()!
    if (heap.length === 0) return first
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      if (child >= heap.length) break
      if (child + 1 < heap.length && isBefore(heap[child + 1], heap[child])) child++
      if (!isBefore(heap[child], last)) break
      heap[at] = heap[child]
      at = child
    }
    heap[at] = last
    return first
  }
}

function isBefore(a: Event, b: Event): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order)
}
