import type { SeededRandom } from '../../model/index.js'
import { growPart } from './initial/index.js'
import { carryDown, coarsen, uncoarsen } from './multilevel.js'
import { type Effort, type Level, type Outcome, Placement, type Room, type Workspace } from './state/index.js'

/**
 * The partition that is left of a previous one: everything stays, what is new or homeless goes to its
 * neighbours, new parts grow from those above their share. What moving costs is in the nets to the pinned
 * vertices.
 */
export function startFromPrevious(
  workspace: Workspace,
  level: Level,
  room: Room,
  preferred: Int32Array,
  effort: Effort,
  random: SeededRandom,
): Outcome {
  const labels = level.fixed.map((part, v) => (part >= 0 ? part : preferred[v] < 0 ? room.k : preferred[v]))
  const stopAt = Math.max(effort.coarsestSize, effort.coarsestPerPart * room.k)
  const hierarchy = coarsen(workspace, level, stopAt, effort, labels, true, random)
  let parts: Int32Array = labels
  for (let i = 0; i < hierarchy.maps.length; i++)
    parts = carryDown(parts, hierarchy.maps[i], hierarchy.levels[i + 1].vertexCount)
  const coarsest = hierarchy.levels[hierarchy.levels.length - 1]
  house(coarsest, room, parts)
  const placement = new Placement(workspace, coarsest, room.k, parts, room.caps)
  for (let p = 0; p < room.k; p++) if (isBare(placement, room, p)) growPart(placement, p, room.goals, random)
  return uncoarsen(workspace, hierarchy, room.k, placement.parts, room.caps, effort, random)
}

/** Gives each vertex without a part (label k) the one it shares most with and that has room. */
function house(level: Level, room: Room, parts: Int32Array): void {
  const { k } = room
  const r = level.constraintCount
  const weights = new Float64Array(k * r)
  const enter = (v: number) => {
    for (let i = 0; i < r; i++) weights[parts[v] * r + i] += level.weights[v * r + i]
  }
  for (let v = 0; v < level.vertexCount; v++) if (parts[v] < k) enter(v)
  const shared = new Float64Array(k)
  for (let v = 0; v < level.vertexCount; v++) {
    if (parts[v] < k) continue
    shared.fill(0)
    for (let n = level.vertexOffsets[v]; n < level.vertexOffsets[v + 1]; n++) {
      const e = level.nets[n]
      const size = level.netOffsets[e + 1] - level.netOffsets[e]
      for (let i = level.netOffsets[e]; i < level.netOffsets[e + 1]; i++) {
        const p = parts[level.pins[i]]
        if (p < k) shared[p] += level.netCosts[e] / size
      }
    }
    parts[v] = roomiest(level, room, weights, shared, v)
    enter(v)
  }
}

function roomiest(level: Level, room: Room, weights: Float64Array, shared: Float64Array, v: number): number {
  const r = level.constraintCount
  let best = 0
  let bestScore = -Infinity
  for (let p = 0; p < room.k; p++) {
    let fill = 0
    for (let i = 0; i < r; i++)
      fill = Math.max(
        fill,
        (weights[p * r + i] + level.weights[v * r + i]) / (room.caps[p * r + i] || 1e-300),
      )
    const score = fill > 1 ? -fill : shared[p] + (1 - fill) * 1e-6
    if (score > bestScore) {
      bestScore = score
      best = p
    }
  }
  return best
}

/** Less than half of what the part should weigh. */
function isBare(placement: Placement, room: Room, part: number): boolean {
  const r = placement.level.constraintCount
  let most = 0
  for (let i = part * r; i < part * r + r; i++)
    if (room.goals[i] > 0) most = Math.max(most, placement.partWeights[i] / room.goals[i])
  return most < 0.5
}
