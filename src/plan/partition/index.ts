/**
 * plan/partition/: a (hyper)graph -> k parts. Read partition.ts, then multilevel.ts. In: vertices with
 * weights, nets, the number of parts. Out: a part for each vertex, within the caps, with few cut nets.
 * Always: the same seed gives the same parts.
 */
export { type CombinedPartition, type Objective, partitionObjectives } from './combine.js'
export { partition } from './partition.js'
