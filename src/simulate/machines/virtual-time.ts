/**
 * Time that advances only when nothing is left to do at the present moment. One heap holds all events, which
 * run one by one; between two events all promises settle. So a run depends on its seed alone, and an hour
 * costs no more than the events in it.
 */
import type { Cancel, Millis } from '../../model/index.js'
import { TimeHeap } from './time-heap.js'

/** Decides whether and when an event that is due runs. */
export interface Host {
  due(event: Event): void
}

export interface Event {
  /** Null once the event is cancelled. */
  task: (() => void) | null
  readonly host: Host | null
}

const SETTLED = Promise.resolve()
/** Cancelled events are removed from the heap only when there are more than this. */
const LEAST_SWEEP = 10_000

export class VirtualTime {
  readonly #heap = new TimeHeap<Event>()
  #now: Millis = 0
  #events = 0
  /** Cancellations since the last sweep, those of events that had run already included. */
  #cancelled = 0

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
      if (++this.#cancelled > LEAST_SWEEP && 2 * this.#cancelled > this.#heap.size) this.#sweep()
    }
  }

  /** Like `after`, for a task that is never cancelled. */
  later(delayMs: Millis, task: () => void, host: Host | null = null): void {
    this.#heap.push(this.#now + Math.max(0, delayMs), { task, host })
  }

  /** Schedules an event that was due again; the function that cancels it stays valid. */
  again(event: Event, delayMs: Millis): void {
    this.#heap.push(this.#now + Math.max(0, delayMs), event)
  }

  /** Runs until `isOver` returns true or no event is left. */
  run(isOver: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const step = () => {
        try {
          if (isOver() || !this.#runOne()) return resolve()
        } catch (error) {
          return reject(error)
        }
        // Node runs a tick that a microtask requests after all microtasks.
        process.nextTick(tick)
      }
      // The callback of a promise costs half as much as `queueMicrotask`.
      const tick = () => void SETTLED.then(step)
      tick()
    })
  }

  /** Most timers are long and cancelled soon; without a sweep a million of them would fill the heap. */
  #sweep(): void {
    this.#cancelled = 0
    this.#heap.keep(event => event.task !== null)
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
