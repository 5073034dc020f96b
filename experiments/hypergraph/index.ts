/**
 * experiments/hypergraph/: messages between agents under hypergraph partitioning, against hash and gpmetis.
 */
export { hypergraphExperiment } from './experiment.js'
export { dealt, sortedSizes } from './site-sizes.js'
export type { GraphPartitioner, WeightedGraph } from './star-graph.js'
