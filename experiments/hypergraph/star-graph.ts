/** A hypergraph as a graph, for graph partitioners: the source of each net is joined with its other pins. */
import type { Hypergraph } from '../../src/plan/partition/state/index.js'

/** The neighbours of v are neighbours[offsets[v] .. offsets[v + 1]); each edge is stored for both ends. */
export interface WeightedGraph {
  readonly vertexCount: number
  readonly constraintCount: number
  readonly vertexWeights: Float64Array
  readonly offsets: Uint32Array
  readonly neighbours: Uint32Array
  readonly edgeWeights: Uint32Array
}

/** Port: another partitioner to compare with. */
export interface GraphPartitioner {
  readonly name: string
  /** `imbalance`: a part may exceed the mean by this share, for example 0.05. */
  partition(graph: WeightedGraph, k: number, imbalance: number, seed: number): Int32Array
}

/** Merges parallel edges; their weights add up. */
export function starGraph(hypergraph: Hypergraph): WeightedGraph {
  const { vertexCount, constraintCount, vertexWeights, netCount, netOffsets, pins } = hypergraph
  const joined = Array.from({ length: vertexCount }, () => new Map<number, number>())
  for (let net = 0; net < netCount; net++) {
    const source = pins[netOffsets[net]]
    for (let at = netOffsets[net] + 1; at < netOffsets[net + 1]; at++) {
      joined[source].set(pins[at], (joined[source].get(pins[at]) ?? 0) + 1)
      joined[pins[at]].set(source, (joined[pins[at]].get(source) ?? 0) + 1)
    }
  }
  const offsets = new Uint32Array(vertexCount + 1)
  for (let v = 0; v < vertexCount; v++) offsets[v + 1] = offsets[v] + joined[v].size
  const neighbours = new Uint32Array(offsets[vertexCount])
  const edgeWeights = new Uint32Array(offsets[vertexCount])
  let at = 0
  for (const own of joined)
    for (const [other, weight] of own) {
      neighbours[at] = other
      edgeWeights[at++] = weight
    }
  return { vertexCount, constraintCount, vertexWeights, offsets, neighbours, edgeWeights }
}
