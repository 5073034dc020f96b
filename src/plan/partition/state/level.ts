/**
 * One hypergraph of the multilevel hierarchy: both directions of incidence, nets without repeated pins. A
 * class, so that all levels have one shape: the inner loops, compiled for one shape, would be compiled again
 * for each other.
 */
export class Level {
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

  constructor(
    nets: NetList,
    incidence: Incidence,
    constraintCount: number,
    weights: Float64Array,
    fixed: Int32Array,
  ) {
    this.vertexCount = fixed.length
    this.netCount = nets.netCount
    this.netOffsets = nets.netOffsets
    this.pins = nets.pins
    this.netCosts = nets.netCosts
    this.vertexOffsets = incidence.vertexOffsets
    this.nets = incidence.nets
    this.degrees = incidence.degrees
    this.constraintCount = constraintCount
    this.weights = weights
    this.fixed = fixed
  }

  /** The same vertices and nets, other ones pinned. */
  withFixed(fixed: Int32Array): Level {
    return new Level(this, this, this.constraintCount, this.weights, fixed)
  }
}

export interface NetList {
  readonly netCount: number
  readonly netOffsets: Int32Array
  readonly pins: Int32Array
  readonly netCosts: Float64Array
}

interface Incidence {
  readonly vertexOffsets: Int32Array
  readonly nets: Int32Array
  readonly degrees: Float64Array
}

/** Adds the way back from vertices to nets. */
export function levelOf(
  nets: NetList,
  constraintCount: number,
  weights: Float64Array,
  fixed: Int32Array,
): Level {
  const vertexOffsets = offsetsOf(nets.pins, fixed.length)
  return new Level(nets, incidenceOf(nets, vertexOffsets), constraintCount, weights, fixed)
}

function offsetsOf(pins: Int32Array, vertexCount: number): Int32Array {
  const offsets = new Int32Array(vertexCount + 1)
  for (let i = 0; i < pins.length; i++) offsets[pins[i] + 1]++
  for (let v = 0; v < vertexCount; v++) offsets[v + 1] += offsets[v]
  return offsets
}

function incidenceOf(
  { netCount, netOffsets, pins, netCosts }: NetList,
  vertexOffsets: Int32Array,
): Incidence {
  const next = vertexOffsets.slice()
  const nets = new Int32Array(pins.length)
  const degrees = new Float64Array(vertexOffsets.length - 1)
  let i = 0
  for (let e = 0; e < netCount; e++) {
    const cost = netCosts[e]
    for (const end = netOffsets[e + 1]; i < end; i++) {
      const v = pins[i]
      nets[next[v]++] = e
      degrees[v] += cost
    }
  }
  return { vertexOffsets, nets, degrees }
}

/** Sum of the vertex weights, per constraint. */
export function totalWeights({ vertexCount, constraintCount, weights }: Level): Float64Array {
  const total = new Float64Array(constraintCount)
  for (let v = 0; v < vertexCount; v++)
    for (let r = 0; r < constraintCount; r++) total[r] += weights[v * constraintCount + r]
  return total
}
