import type { Hypergraph } from '../../partition/state/index.js'

/** Collects nets one by one; equal nets stay apart. */
export class NetList {
  readonly #offsets: number[] = [0]
  readonly #pins: number[] = []
  readonly #costs: number[] = []

  /** Drops repeated pins, and then nets with fewer than two pins or without a cost. */
  add(pins: Iterable<number>, cost: number): void {
    const distinct = new Set(pins)
    if (distinct.size < 2 || !(cost > 0)) return
    for (const pin of distinct) this.#pins.push(pin)
    this.#offsets.push(this.#pins.length)
    this.#costs.push(cost)
  }

  /** `vertexWeights` has one number for each vertex and constraint. */
  hypergraph(vertexWeights: Float64Array, constraintCount: number): Hypergraph {
    return {
      vertexCount: vertexWeights.length / constraintCount,
      netCount: this.#costs.length,
      netOffsets: Uint32Array.from(this.#offsets),
      pins: Uint32Array.from(this.#pins),
      netCosts: Float64Array.from(this.#costs),
      constraintCount,
      vertexWeights,
    }
  }
}
