/**
 * A heap of things by time, and by insertion among equal times. It holds up to a million things, so it has
 * four children per node and keeps times in arrays of their own.
 */
import type { Millis } from '../../model/index.js'

const WAYS = 4
const FIRST_LENGTH = 1024

export class TimeHeap<T> {
  #times = new Float64Array(FIRST_LENGTH)
  /** Insertion numbers. */
  #orders = new Float64Array(FIRST_LENGTH)
  readonly #things: T[] = []
  #last = 0

  /** Infinity when the heap is empty. */
  get firstAt(): Millis {
    return this.#things.length === 0 ? Number.POSITIVE_INFINITY : this.#times[0]
  }

  get size(): number {
    return this.#things.length
  }

  push(time: Millis, thing: T): void {
    const things = this.#things
    let at = things.length
    if (at === this.#times.length) this.#grow()
    const times = this.#times
    const orders = this.#orders
    things.push(thing)
    while (at > 0) {
      const parent = ((at - 1) / WAYS) | 0
      if (times[parent] <= time) break
      times[at] = times[parent]
      orders[at] = orders[parent]
      things[at] = things[parent]
      at = parent
    }
    times[at] = time
    orders[at] = ++this.#last
    things[at] = thing
  }

  shift(): T | null {
    const things = this.#things
    if (things.length === 0) return null
    const first = things[0]
    const last = things.pop()!
    const { length } = things
    if (length > 0) this.#sink(0, this.#times[length], this.#orders[length], last)
    return first
  }

  /** Removes everything that is not `wanted`; the rest keeps its order. */
  keep(wanted: (thing: T) => boolean): void {
    const things = this.#things
    let kept = 0
    for (let i = 0; i < things.length; i++) {
      if (!wanted(things[i])) continue
      things[kept] = things[i]
      this.#times[kept] = this.#times[i]
      this.#orders[kept] = this.#orders[i]
      kept++
    }
    things.length = kept
    for (let at = Math.floor((kept - 2) / WAYS); at >= 0; at--)
      this.#sink(at, this.#times[at], this.#orders[at], things[at])
  }

  /** Puts `thing` at the free place `from` or below it. */
  #sink(from: number, time: Millis, order: number, thing: T): void {
    const things = this.#things
    const times = this.#times
    const orders = this.#orders
    const { length } = things
    let at = from
    for (;;) {
      const first = WAYS * at + 1
      if (first >= length) break
      let least = first
      const to = Math.min(first + WAYS, length)
      for (let child = first + 1; child < to; child++) {
        const sooner = times[child] - times[least]
        if (sooner < 0 || (sooner === 0 && orders[child] < orders[least])) least = child
      }
      if (times[least] > time || (times[least] === time && orders[least] > order)) break
      times[at] = times[least]
      orders[at] = orders[least]
      things[at] = things[least]
      at = least
    }
    times[at] = time
    orders[at] = order
    things[at] = thing
  }

  #grow(): void {
    const length = 2 * this.#times.length
    const [times, orders] = [new Float64Array(length), new Float64Array(length)]
    times.set(this.#times)
    orders.set(this.#orders)
    this.#times = times
    this.#orders = orders
  }
}
