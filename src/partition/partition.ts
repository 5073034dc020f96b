import type { Partition, PartitionRequest } from './request.js'

/** First version: vertices dealt out in turn. The real thing follows. */
export function partition(request: PartitionRequest): Partition {
  const { hypergraph, k } = request
  const parts = Int32Array.from({ length: hypergraph.vertexCount }, (_, v) => request.fixed?.[v] ?? v % k)
  const none = new Array<number>(hypergraph.constraintCount).fill(0)
  return {
    k,
    parts,
    km1: 0,
    cut: 0,
    imbalance: none,
    imbalanceBound: none,
    imbalanceWithoutHeavy: none,
    heavyVertices: [],
    balanced: false,
    coalescedMessages: 0,
    moved: 0,
    movedWeight: none,
  }
}
