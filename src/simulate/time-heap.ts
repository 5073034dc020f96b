/**
 * Things to come, the next first; of equal times, who came first. Times stand apart from things: a million
 * are looked through.
 */
import type { Millis } from '../model/index.js'

const WAYS = 4
const FIRST_LENGTH = 1024

export class TimeHeap<T> {
  #times = new Float64Array(FIRST_LENGTH)
  /** Which of all that ever came. */
  #orders = new Float64Array(FIRST_LENGTH)
  readonly #things: T[] = []
  #last = 0

  /** Infinity when nothing is to come. */
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
    // It came last: what has the same time is before it.
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

  /** Forgets all that is not `wanted`; the others keep their order. */
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

  /** Down from a place that is free. */
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
