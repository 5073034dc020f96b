/**
 * Chooses what to spill when memory is short: the largest holder, within a factor of two, and of these the
 * oldest. Holders are in classes by powers of two, so none is searched for.
 */
export interface SpillHolder {
  /** Its class, set by `SpillOrder` only. */
  spillClass: number
  /** Frees memory by writing to disk, then updates its `SpillOrder`. */
  spill(): void
}

export const NO_CLASS = -1

export class SpillOrder {
  readonly #classes: Set<SpillHolder>[] = []
  readonly #smallest: number

  /** Holders below `smallestBytes` are not spilled, because their bookkeeping costs as much memory. */
  constructor(smallestBytes: number) {
    this.#smallest = Math.max(1, smallestBytes)
  }

  /** `holder` now has `bytes` that it could spill. */
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
