/** Things to come, the next first; of equal times, who came first. Times stand apart from things: a million are looked through. */
import type { Millis } from '../model/clock.js'

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
    if (length > 0) this.#sink(this.#times[length], this.#orders[length], last)
    return first
  }

  /** From the top down. */
  #sink(time: Millis, order: number, thing: T): void {
    const things = this.#things
    const times = this.#times
    const orders = this.#orders
    const { length } = things
    let at = 0
    for (;;) {
      const from = WAYS * at + 1
      if (from >= length) break
      let least = from
      const to = Math.min(from + WAYS, length)
      for (let child = from + 1; child < to; child++) {
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
