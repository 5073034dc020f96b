/** Vertices and nets in typed arrays. A graph is a hypergraph of 2-pin nets. */
export interface Hypergraph {
  readonly vertexCount: number
  readonly netCount: number
  /**
   * Pins of net e: pins[netOffsets[e] .. netOffsets[e + 1]). The first pin is the net's source where nets
   * have one.
   */
  readonly netOffsets: Uint32Array
  readonly pins: Uint32Array
  readonly netCosts: Float64Array
  readonly constraintCount: number
  /** vertexWeights[v * constraintCount + r] */
  readonly vertexWeights: Float64Array
}
