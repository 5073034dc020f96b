/**
 * partition/: vertices and nets -> k parts.
 * In: a hypergraph with weights, targets, fixed vertices, a previous partition. Out: the part of each vertex and
 * what it costs. Always: every vertex has a part, fixed ones theirs; the same seed gives the same parts.
 */
export { type CombinedPartition, type Objective, partitionObjectives } from './combine.js'
export { imbalanceOf, messagesOf } from './figures.js'
export type { Hypergraph } from './hypergraph.js'
export { partition } from './partition.js'
export { PartitionError } from './partition-error.js'
export type { PresetName } from './presets.js'
export type { Affinity, Partition, PartitionRequest } from './request.js'
