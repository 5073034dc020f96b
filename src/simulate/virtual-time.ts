/**
 * Time that passes only when nothing is left to do now. One heap of events, run one by one; between two of them every
 * promise that can go on does, so a run depends on its seed alone and an hour costs no more than what happens in it.
 */
import type { Cancel, Millis } from '../model/clock.js'
import { TimeHeap } from './time-heap.js'

/** Who decides whether and when a task that is due is run. */
export interface Host {
  due(event: Event): void
}

/** What is to be done; null once it is cancelled. */
export interface Event {
  task: (() => void) | null
  readonly host: Host | null
}

const SETTLED = Promise.resolve()

export class VirtualTime {
  readonly #heap = new TimeHeap<Event>()
  #now: Millis = 0
  #events = 0

  get now(): Millis {
    return this.#now
  }

  /** Events run so far. */
  get events(): number {
    return this.#events
  }

  after(delayMs: Millis, task: () => void, host: Host | null = null): Cancel {
    const event: Event = { task, host }
    this.#heap.push(this.#now + Math.max(0, delayMs), event)
    return () => {
      event.task = null
    }
  }

  /** An event that was due, once more; who could cancel it still can. */
  again(event: Event, delayMs: Millis): void {
    this.#heap.push(this.#now + Math.max(0, delayMs), event)
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
      const at = this.#heap.firstAt
      const event = this.#heap.shift()
      if (event === null) return false
      if (event.task === null) continue
      this.#now = at
      this.#events++
      if (event.host === null) event.task()
      else event.host.due(event)
      return true
    }
  }
}
