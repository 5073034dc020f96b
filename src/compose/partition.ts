/** The partitioner with its defaults and the real clock: what the library and the command use. */
import {
  type Objective,
  partitionObjectives,
  partition as partitionRequest,
} from '../plan/partition/index.js'
import type { Partition, PartitionRequest, PresetName } from '../plan/partition/state/index.js'
import { systemClock } from './system-clock.js'

const DEFAULT_EPSILON = 0.05

export interface PartitionOptions extends Omit<PartitionRequest, 'epsilons' | 'preset' | 'seed' | 'clock'> {
  /** How far a part may go above its share, one number or one per constraint; default 0.05. */
  readonly epsilon?: number | readonly number[]
  /** How much work to spend; default `default`. */
  readonly preset?: PresetName
  /** The same seed gives the same parts; default 1. */
  readonly seed?: number
  /**
   * Several sets of nets over the same vertices, each with its weight: they take the place of the nets of
   * `hypergraph`, which is one of them only if it is listed. Figures are still those of `hypergraph`.
   */
  readonly objectives?: readonly Objective[]
}

/**
 * Splits the vertices of a hypergraph into `k` parts of even weight such that few nets touch several parts.
 * Runs to its end in the calling thread. Throws a PartitionError of one line when something is wrong with the
 * options.
 */
export function partition(options: PartitionOptions): Partition {
  const { epsilon = DEFAULT_EPSILON, preset = 'default', seed = 1, objectives, ...rest } = options
  const { constraintCount } = options.hypergraph
  const epsilons = typeof epsilon === 'number' ? new Array<number>(constraintCount).fill(epsilon) : epsilon
  const request = { ...rest, epsilons, preset, seed, clock: systemClock }
  return objectives === undefined ? partitionRequest(request) : partitionObjectives(objectives, request)
}
