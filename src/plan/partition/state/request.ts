import type { Clock } from '../../../model/index.js'
import type { Hypergraph } from './hypergraph.js'
import type { PresetName } from './presets.js'

/** Gain of having vertices[i] in parts[i], in units of km1; a vertex may be listed for several parts. */
export interface Affinity {
  readonly vertices: Uint32Array
  readonly parts: Uint32Array
  readonly gains: Float64Array
}

export interface PartitionRequest {
  readonly hypergraph: Hypergraph
  readonly k: number
  /** One per constraint. */
  readonly epsilons: readonly number[]
  readonly preset: PresetName
  readonly seed: number
  /** Share of each part, sum 1; equal when absent. */
  readonly targets?: readonly number[]
  /** Part of each pinned vertex, -1 for free ones. */
  readonly fixed?: Int32Array
  /** Group of each vertex, -1 for none: vertices of one group stay together. */
  readonly groups?: Int32Array
  readonly affinity?: Affinity
  /** Part of each vertex before, -1 for new ones; parts from k on have gone and their vertices move. */
  readonly previous?: Int32Array
  /** Cost of moving one unit of weight away from its previous part, in units of km1. */
  readonly migrationWeight?: number
  /** The constraint whose weight is moved; the last one (pages) when absent. */
  readonly migrationConstraint?: number
  /** The best partition found by then is returned. Needs `clock`. */
  readonly timeLimitMs?: number
  readonly clock?: Clock
}

export interface Partition {
  readonly k: number
  readonly parts: Int32Array
  /** Sum over nets of cost * (parts touched - 1). */
  readonly km1: number
  /** Sum of the costs of the nets that touch more than one part. */
  readonly cut: number
  /** Per constraint: heaviest part over its target share, minus 1. */
  readonly imbalance: readonly number[]
  /** What no partition can go below, because single vertices or fixed ones weigh too much. */
  readonly imbalanceBound: readonly number[]
  /** As `imbalance`, over the parts that hold no vertex heavier than a part. */
  readonly imbalanceWithoutHeavy: readonly number[]
  /** Vertices that got a part of their own because they outweigh one. */
  readonly heavyVertices: readonly number[]
  /** Every constraint within its epsilon, or within the caps that heavy vertices leave. */
  readonly balanced: boolean
  /** Distinct pairs of a net's source vertex and a part other than its own that its nets touch. */
  readonly coalescedMessages: number
  /** Sum of the affinity gains of the vertices that are in the part they are for (0 without `affinity`). */
  readonly affinity: number
  /** Vertices that left their previous part (0 without `previous`). */
  readonly moved: number
  /** Weight that left its previous part, per constraint. */
  readonly movedWeight: readonly number[]
}
