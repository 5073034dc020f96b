/** A heap of lanes by load: the first is the one with the least, and the longest there among equals. */
export interface LoadedLane {
  readonly agent: string
  /** Within its agent, from 1. */
  readonly lane: number
  load: number
  /** Breaks ties. */
  readonly order: number
}

export class LeastLoaded {
  readonly #heap: LoadedLane[] = []

  get first(): LoadedLane | undefined {
    return this.#heap[0]
  }

  add(lane: LoadedLane): void {
    this.#heap.push(lane)
    let at = this.#heap.length - 1
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (!isBefore(this.#heap[at], this.#heap[parent])) break
      this.#swap(at, parent)
      at = parent
    }
  }

  /** The first lane has more to do now. */
  loadFirst(amount: number): void {
    this.#heap[0].load += amount
    for (let at = 0; ; ) {
      const left = 2 * at + 1
      const right = left + 1
      let least = at
      if (left < this.#heap.length && isBefore(this.#heap[left], this.#heap[least])) least = left
      if (right < this.#heap.length && isBefore(this.#heap[right], this.#heap[least])) least = right
      if (least === at) return
      this.#swap(at, least)
      at = least
    }
  }

  #swap(a: number, b: number): void {
    const kept = this.#heap[a]
    this.#heap[a] = this.#heap[b]
    this.#heap[b] = kept
  }
}

function isBefore(a: LoadedLane, b: LoadedLane): boolean {
  return a.load < b.load || (a.load === b.load && a.order < b.order)
}
