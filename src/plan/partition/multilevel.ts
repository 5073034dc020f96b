import type { SeededRandom } from '../../model/index.js'
import { cluster, contract } from './coarsen/index.js'
import { rebalance, refineByLabels, refineByMoves, untangle } from './refine/index.js'
import {
  type Effort,
  type Level,
  type Outcome,
  outcomeOf,
  Placement,
  totalWeights,
  type Workspace,
} from './state/index.js'

/** levels[0] is the finest; maps[i] leads from the vertices of levels[i] to those of levels[i + 1]. */
export interface Hierarchy {
  readonly levels: readonly Level[]
  readonly maps: readonly Int32Array[]
}

/**
 * Contracts clusters until about `stopAt` vertices are left. Only vertices of the same label join; labels
 * that are not `strict` are given up when they leave nothing to join.
 */
export function coarsen(
  workspace: Workspace,
  finest: Level,
  stopAt: number,
  effort: Effort,
  labels: Int32Array | null,
  strict: boolean,
  random: SeededRandom,
): Hierarchy {
  const levels = [finest]
  const maps: Int32Array[] = []
  const total = totalWeights(finest)
  const maxWeights = total.map(sum => (effort.clusterWeight * sum) / stopAt)
  let level = finest
  let names = labels
  while (level.vertexCount > stopAt) {
    const limits = {
      maxWeights,
      stopAt: Math.max(stopAt, Math.floor(level.vertexCount / effort.shrink)),
      maxNetSize: effort.maxNetSize,
    }
    const { map, count, work } = cluster(level, limits, names, random)
    workspace.spend(work)
    if (count > level.vertexCount * 0.97) {
      if (strict || names === null) break
      names = null
      continue
    }
    if (names !== null) names = carryDown(names, map, count)
    level = contract(level, map, count)
    workspace.spend(level.pins.length)
    levels.push(level)
    maps.push(map)
  }
  return { levels, maps }
}

/** Labels of the clusters, given those of their members. */
export function carryDown(labels: Int32Array, map: Int32Array, count: number): Int32Array {
  const carried = new Int32Array(count)
  for (let v = 0; v < map.length; v++) carried[map[v]] = labels[v]
  return carried
}

/** Takes a partition of the coarsest level up to the finest one, refining it on every level. */
export function uncoarsen(
  workspace: Workspace,
  hierarchy: Hierarchy,
  k: number,
  coarsest: Int32Array,
  caps: Float64Array,
  effort: Effort,
  random: SeededRandom,
): Outcome {
  let parts = coarsest
  for (let i = hierarchy.levels.length - 1; ; i--) {
    const level = hierarchy.levels[i]
    const placement = new Placement(
      workspace,
      level,
      k,
      parts,
      i === 0 ? caps : widened(caps, level, effort.coarseSlack),
    )
    refine(placement, effort, random)
    if (i === 0) {
      if (placement.overload() > 0) untangle(placement)
      return outcomeOf(placement)
    }
    parts = carryUp(placement.parts, hierarchy.maps[i - 1])
  }
}

/**
 * Caps for a coarse level, wider by `slack` average vertices. There a vertex often weighs more than the slack
 * of a part, and with the exact caps hardly any could move; finer levels restore the balance.
 */
export function widened(caps: Float64Array, level: Level, slack: number): Float64Array {
  const r = level.constraintCount
  const total = totalWeights(level)
  return caps.map((cap, at) => cap + (slack * total[at % r]) / level.vertexCount)
}

function carryUp(parts: Int32Array, map: Int32Array): Int32Array {
  const carried = new Int32Array(map.length)
  for (let v = 0; v < map.length; v++) carried[v] = parts[map[v]]
  return carried
}

export function refine(placement: Placement, effort: Effort, random: SeededRandom): void {
  rebalance(placement)
  refineByLabels(placement, effort.labelRounds, random)
  const pairs = placement.level.vertexCount * placement.k
  if (pairs <= effort.fmPairs) refineByMoves(placement, effort.fm, random)
  rebalance(placement)
}
