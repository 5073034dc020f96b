/**
 * Says who goes to disk first when memory is short: whoever holds most, to within a factor of two, longest
 * there first. Holders are kept in classes by powers of two, so that nobody is ever searched for.
 */
export interface SpillHolder {
  /** Class it stands in; kept by `SpillOrder` only. */
  spillClass: number
  /** Frees memory by writing to disk, and tells its `SpillOrder` what it holds afterwards. */
  spill(): void
}

export const NO_CLASS = -1

export class SpillOrder {
  readonly #classes: Set<SpillHolder>[] = []
  readonly #smallest: number

  /** Holders of less than `smallestBytes` are left alone: their place on disk would cost as much memory. */
  constructor(smallestBytes: number) {
    this.#smallest = Math.max(1, smallestBytes)
  }

  /** `holder` now holds `bytes` that it could spill. */
  update(holder: SpillHolder, bytes: number): void {
    const to = bytes < this.#smallest ? NO_CLASS : 31 - Math.clz32(bytes)
    if (to === holder.spillClass) return
    if (holder.spillClass !== NO_CLASS) this.#classes[holder.spillClass].delete(holder)
    holder.spillClass = to
    if (to === NO_CLASS) return
    while (this.#classes.length <= to) this.#classes.push(new Set())
    this.#classes[to].add(holder)
  }

  largest(): SpillHolder | undefined {
    for (let at = this.#classes.length - 1; at >= 0; at--) {
      for (const holder of this.#classes[at]) return holder
    }
    return undefined
  }
}
