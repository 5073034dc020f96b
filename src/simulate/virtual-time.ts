/**
 * Time that passes only when nothing is left to do now. One heap of events, run one by one; between two of
 * them every promise that can go on does, so a run depends on its seed alone and an hour costs no more than
 * what happens in it.
 */
import type { Cancel, Millis } from '../model/index.js'
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
/** So many cancelled events at least, before they are looked for. */
const LEAST_SWEEP = 10_000

export class VirtualTime {
  readonly #heap = new TimeHeap<Event>()
  #now: Millis = 0
  #events = 0
  /** Cancelled since the last sweep; some of them had been run before. */
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

  /** The same for what nobody cancels. */
  later(delayMs: Millis, task: () => void, host: Host | null = null): void {
    this.#heap.push(this.#now + Math.max(0, delayMs), { task, host })
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

  /**
   * Most timers are set for long and cancelled soon: left to their time, a million of them would be waited
   * for.
   */
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
