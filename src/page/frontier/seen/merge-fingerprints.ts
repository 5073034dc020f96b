import type { FingerprintSource } from './sorted-run.js'

/** The pairs of a sorted array, one after the other. */
export class ArraySource implements FingerprintSource {
  low = 0
  high = 0
  readonly #pairs: Uint32Array
  #at = 0

  /** `pairs`: (low, high), ascending by high, then low. */
  constructor(pairs: Uint32Array) {
    this.#pairs = pairs
  }

  advance(): boolean {
    if (this.#at === this.#pairs.length) return false
    this.low = this.#pairs[this.#at++]
    this.high = this.#pairs[this.#at++]
    return true
  }
}

/**
 * Visits what several sources hold, ascending. The sources have nothing in common, and there are only a few.
 */
export function mergeFingerprints(
  sources: readonly FingerprintSource[],
  visit: (low: number, high: number) => void,
): void {
  const open = sources.filter(source => source.advance())
  while (open.length > 0) {
    let least = 0
    for (let i = 1; i < open.length; i++) {
      const a = open[i]
      const b = open[least]
      if (a.high < b.high || (a.high === b.high && a.low < b.low)) least = i
    }
    const source = open[least]
    visit(source.low, source.high)
    if (!source.advance()) open.splice(least, 1)
  }
}
