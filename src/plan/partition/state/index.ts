/**
 * plan/partition/state/: the data that all phases of the partitioner share: hypergraph, level, placement,
 * caps, presets.
 */

export type { Hypergraph } from './hypergraph.js'
export { Level, levelOf, type NetList, totalWeights } from './level.js'
export { affinityOf, imbalanceBoundOf, imbalanceOf, messagesOf, movedOf, objectivesOf } from './objectives.js'
export { isBetter, type Outcome, outcomeOf } from './outcome.js'
export { pack } from './packing.js'
export { PartitionError } from './partition-error.js'
export { type GainListener, Placement } from './placement.js'
export { type Effort, type FmLimits, type PresetName, presets } from './presets.js'
export type { Affinity, Partition, PartitionRequest } from './request.js'
export { planRoom, type Room } from './room.js'
export { shuffle, shuffled } from './shuffle.js'
export { VertexHeap } from './vertex-heap.js'
export { Workspace } from './workspace.js'
