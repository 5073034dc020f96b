/**
 * Several objectives over the same vertices (S8): each is partitioned alone, which says what it costs at best
 * (its edge cut ec); then all nets together are partitioned with costs p * c / ec, so that no objective
 * dominates because its numbers are larger.
 */

import { partition } from './partition.js'
import {
  type Hypergraph,
  objectivesOf,
  type Partition,
  PartitionError,
  type PartitionRequest,
} from './state/index.js'

export interface Objective {
  readonly hypergraph: Hypergraph
  /** p: how much it counts, more than 0. */
  readonly weight: number
  /**
   * What a vertex weighs where it is partitioned alone, and how evenly that is shared (S5); as in the request
   * where absent.
   */
  readonly alone?: { readonly vertexWeights: Float64Array; readonly epsilon: number }
}

export interface CombinedPartition extends Partition {
  /** One for each objective, in its own unit: what it costs alone (ec), and what it costs in the end. */
  readonly objectives: readonly { readonly alone: number; readonly km1: number }[]
}

/**
 * Vertex weights of the result are those of `request.hypergraph`, and km1, cut and messages are counted on
 * it. Affinity and migration keep their unit if it is one of the objectives.
 */
export function partitionObjectives(
  objectives: readonly Objective[],
  request: PartitionRequest,
): CombinedPartition {
  const { hypergraph, k, affinity: _a, previous: _p, migrationWeight: _m, ...plain } = request
  checkObjectives(objectives, hypergraph)
  const runs = objectives.length + 1
  const limit = request.timeLimitMs === undefined ? {} : { timeLimitMs: request.timeLimitMs / runs }
  const bests = objectives.map(({ hypergraph: own, alone }) => {
    const asked = { ...plain, ...limit, k, hypergraph: { ...hypergraph, ...netsOf(own) } }
    return partition(alone === undefined ? asked : weighed(asked, alone)).km1
  })
  const combined = { ...hypergraph, ...combineNets(objectives, bests, hypergraph) }
  const result = partition({ ...request, ...limit, hypergraph: combined })
  const costs = objectives.map(({ hypergraph: own }, i) => ({
    alone: bests[i],
    km1: objectivesOf(own, k, result.parts).km1,
  }))
  return { ...result, ...objectivesOf(hypergraph, k, result.parts), objectives: costs }
}

function weighed(
  request: PartitionRequest,
  { vertexWeights, epsilon }: NonNullable<Objective['alone']>,
): PartitionRequest {
  const hypergraph = { ...request.hypergraph, constraintCount: 1, vertexWeights }
  return { ...request, hypergraph, epsilons: [epsilon] }
}

type Nets = Pick<Hypergraph, 'netCount' | 'netOffsets' | 'pins' | 'netCosts'>

function netsOf({ netCount, netOffsets, pins, netCosts }: Hypergraph): Nets {
  return { netCount, netOffsets, pins, netCosts }
}

/**
 * All nets one after the other, their costs scaled; those of `base` keep theirs if it is one of the
 * objectives.
 */
export function combineNets(
  objectives: readonly Objective[],
  bests: readonly number[],
  base?: Hypergraph,
): Nets {
  const scales = objectives.map(({ hypergraph, weight }, i) => weight / bestOrCheapest(bests[i], hypergraph))
  const own = objectives.findIndex(objective => objective.hypergraph === base)
  const unit = own === -1 ? 1 : scales[own]
  const netCount = objectives.reduce((sum, { hypergraph }) => sum + hypergraph.netCount, 0)
  const pinCount = objectives.reduce((sum, { hypergraph }) => sum + hypergraph.pins.length, 0)
  const netOffsets = new Uint32Array(netCount + 1)
  const pins = new Uint32Array(pinCount)
  const netCosts = new Float64Array(netCount)
  let net = 0
  objectives.forEach(({ hypergraph }, i) => {
    const begin = netOffsets[net]
    pins.set(hypergraph.pins, begin)
    const scale = scales[i] / unit
    for (let e = 0; e < hypergraph.netCount; e++, net++) {
      netCosts[net] = hypergraph.netCosts[e] * scale
      netOffsets[net + 1] = begin + hypergraph.netOffsets[e + 1]
    }
  })
  return { netCount, netOffsets, pins, netCosts }
}

/** An objective that can be had for nothing is scaled by its cheapest net: to break it costs at least p. */
function bestOrCheapest(best: number, { netCosts }: Hypergraph): number {
  if (best > 0) return best
  let cheapest = Number.POSITIVE_INFINITY
  for (const cost of netCosts) if (cost > 0 && cost < cheapest) cheapest = cost
  return cheapest === Number.POSITIVE_INFINITY ? 1 : cheapest
}

function checkObjectives(objectives: readonly Objective[], { vertexCount }: Hypergraph): void {
  if (objectives.length === 0) throw new PartitionError('there are no objectives')
  for (const { hypergraph, weight } of objectives) {
    if (hypergraph.vertexCount !== vertexCount)
      throw new PartitionError(
        `an objective has ${hypergraph.vertexCount} vertices instead of ${vertexCount}`,
      )
    if (!(weight > 0 && weight < Number.POSITIVE_INFINITY))
      throw new PartitionError(`an objective has weight ${weight}; it must be more than 0`)
  }
}
