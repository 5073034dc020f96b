import type { Hypergraph } from './hypergraph.js'

/** One hypergraph of the multilevel hierarchy: both directions of incidence, nets without repeated pins. */
export interface Level {
  readonly vertexCount: number
  readonly netCount: number
  readonly netOffsets: Int32Array
  readonly pins: Int32Array
  readonly netCosts: Float64Array
  /** Nets of vertex v: nets[vertexOffsets[v] .. vertexOffsets[v + 1]). */
  readonly vertexOffsets: Int32Array
  readonly nets: Int32Array
  /** Sum of the costs of a vertex's nets. */
  readonly degrees: Float64Array
  readonly constraintCount: number
  readonly weights: Float64Array
  /** The part a vertex is pinned to, -1 for free ones. */
  readonly fixed: Int32Array
}

export interface NetList {
  readonly count: number
  readonly offsets: Int32Array
  readonly pins: Int32Array
  readonly costs: Float64Array
}

/** Adds the way back from vertices to nets. */
export function levelOf(
  nets: NetList,
  vertexCount: number,
  constraintCount: number,
  weights: Float64Array,
  fixed: Int32Array,
): Level {
  const pinCount = nets.offsets[nets.count]
  const { offsets, pins, costs } = nets
  const vertexOffsets = new Int32Array(vertexCount + 1)
  for (let i = 0; i < pinCount; i++) vertexOffsets[pins[i] + 1]++
  for (let v = 0; v < vertexCount; v++) vertexOffsets[v + 1] += vertexOffsets[v]
  const next = vertexOffsets.slice(0, vertexCount)
  const netsOf = new Int32Array(pinCount)
  const degrees = new Float64Array(vertexCount)
  for (let e = 0; e < nets.count; e++) {
    const cost = costs[e]
    for (let i = offsets[e]; i < offsets[e + 1]; i++) {
      const v = pins[i]
      netsOf[next[v]++] = e
      degrees[v] += cost
    }
  }
  return {
    vertexCount,
    netCount: nets.count,
    netOffsets: offsets,
    pins,
    netCosts: costs,
    vertexOffsets,
    nets: netsOf,
    degrees,
    constraintCount,
    weights,
    fixed,
  }
}

/** Sum of the vertex weights, per constraint. */
export function totalWeights(
  source: Pick<Level | Hypergraph, 'vertexCount' | 'constraintCount'>,
  weights: Float64Array,
): Float64Array {
  const count = source.constraintCount
  const total = new Float64Array(count)
  for (let v = 0; v < source.vertexCount; v++)
    for (let r = 0; r < count; r++) total[r] += weights[v * count + r]
  return total
}
