/**
 * The numbers of the lanes at work, from 1. A site keeps the number of its lane: if another site has taken
 * its place when it comes back to work, the two share the number.
 */
export class LaneCount {
  busy = 0
  readonly #lanes: number
  /** Sites at each number, up to the highest that was needed. Number 0 does not exist. */
  readonly #sites: number[] = [Number.POSITIVE_INFINITY]

  constructor(lanes: number) {
    this.#lanes = lanes
  }

  /** `wanted` is 0 if any number will do: then the lowest free one, or the one with the fewest sites. */
  take(wanted: number): number {
    this.busy++
    const lane = wanted > 0 ? wanted : this.#freest()
    while (this.#sites.length <= lane) this.#sites.push(0)
    this.#sites[lane]++
    return lane
  }

  #freest(): number {
    const free = this.#sites.indexOf(0)
    if (free > 0) return free
    if (this.#sites.length <= this.#lanes) return this.#sites.length
    return this.#sites.indexOf(Math.min(...this.#sites))
  }

  giveBack(lane: number): void {
    this.busy--
    this.#sites[lane]--
  }

  /** The lanes at work. */
  numbers(): number[] {
    return [...this.#sites.keys()].filter(lane => lane > 0 && this.#sites[lane] > 0)
  }
}
