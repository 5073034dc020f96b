import { extname } from 'node:path'
import type { Hypergraph } from '../state/index.js'
import { readHmetis } from './hmetis.js'
import { readMetisGraph } from './metis-graph.js'
import { readWeights } from './vertex-files.js'

/**
 * Reads a METIS graph where the name ends in `.graph`, an hMETIS hypergraph otherwise. The weights of
 * `weightsFile` (a line per vertex, a column per constraint) take the place of those in the file. Throws a
 * PartitionError.
 */
export function readHypergraph(file: string, weightsFile?: string): Hypergraph {
  const hypergraph = extname(file).toLowerCase() === '.graph' ? readMetisGraph(file) : readHmetis(file)
  if (weightsFile === undefined) return hypergraph
  const { constraintCount, weights } = readWeights(weightsFile, hypergraph.vertexCount)
  return { ...hypergraph, constraintCount, vertexWeights: weights }
}
