/** A binary heap; `isBefore` orders the items. */
export class Heap<T> {
  readonly #items: T[]
  readonly #isBefore: (a: T, b: T) => boolean

  /** Uses `items` as its storage. */
  constructor(isBefore: (a: T, b: T) => boolean, items: T[] = []) {
    this.#isBefore = isBefore
    this.#items = items
    for (let at = (items.length >> 1) - 1; at >= 0; at--) this.#sink(at)
  }

  get size(): number {
    return this.#items.length
  }

  get first(): T | undefined {
    return this.#items[0]
  }

  push(item: T): void {
    const items = this.#items
    let at = items.length
    items.push(item)
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (!this.#isBefore(item, items[parent]!)) break
      items[at] = items[parent]!
      at = parent
    }
    items[at] = item
  }

  shift(): T | undefined {
    const first = this.#items[0]
    const last = this.#items.pop()
    if (last !== undefined && this.#items.length > 0) {
      this.#items[0] = last
      this.#sink(0)
    }
    return first
  }

  /** Restores the order after the first item has changed. */
  firstChanged(): void {
    if (this.#items.length > 0) this.#sink(0)
  }

  /** Moves the item at `from` down to its place. */
  #sink(from: number): void {
    const items = this.#items
    const item = items[from]!
    let at = from
    for (;;) {
      let child = 2 * at + 1
      if (child >= items.length) break
      if (child + 1 < items.length && this.#isBefore(items[child + 1]!, items[child]!)) child++
      if (!this.#isBefore(items[child]!, item)) break
      items[at] = items[child]!
      at = child
    }
    items[at] = item
  }
}
