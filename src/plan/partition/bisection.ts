import type { SeededRandom } from '../../model/index.js'
import { extract } from './coarsen/index.js'
import { growPart } from './initial/index.js'
import { coarsen, uncoarsen, widened } from './multilevel.js'
import { rebalance, refineByMoves } from './refine/index.js'
import {
  type Effort,
  isBetter,
  type Level,
  type Outcome,
  outcomeOf,
  Placement,
  type Room,
  shuffled,
  totalWeights,
  type Workspace,
} from './state/index.js'

/**
 * Splits the level in two, then each side again, until each of the parts first .. first + count - 1 has its
 * piece.
 */
export function bisectRecursively(
  workspace: Workspace,
  level: Level,
  room: Room,
  first: number,
  count: number,
  effort: Effort,
  random: SeededRandom,
): Int32Array {
  if (count === 1) return new Int32Array(level.vertexCount).fill(first)
  const middle = first + (count >> 1)
  const sides = bisect(workspace, level, room, first, middle, first + count, effort, random)
  const parts = new Int32Array(level.vertexCount)
  for (let side = 0; side < 2; side++) {
    const map = new Int32Array(level.vertexCount).fill(-1)
    let size = 0
    for (let v = 0; v < map.length; v++) if (sides[v] === side) map[v] = size++
    const fixed = new Int32Array(size)
    for (let v = 0; v < map.length; v++) if (map[v] >= 0) fixed[map[v]] = level.fixed[v]
    const from = side === 0 ? first : middle
    const parts2 = side === 0 ? middle - first : first + count - middle
    if (parts2 === 1) {
      for (let v = 0; v < map.length; v++) if (map[v] >= 0) parts[v] = from
      continue
    }
    const half = extract(level, map, size, fixed)
    const split = bisectRecursively(workspace, half, room, from, parts2, effort, random)
    for (let v = 0; v < map.length; v++) if (map[v] >= 0) parts[v] = split[map[v]]
  }
  return parts
}

export function bisect(
  workspace: Workspace,
  level: Level,
  room: Room,
  first: number,
  middle: number,
  end: number,
  outer: Effort,
  random: SeededRandom,
): Int32Array {
  const effort = { ...outer, fm: outer.bisectionFm, shrink: outer.bisectionShrink }
  const sided = level.withFixed(level.fixed.map(p => (p < 0 ? -1 : p < middle ? 0 : 1)))
  const { goals, caps: exactCaps } = sideRoom(level, room, first, middle, end)
  const caps = widened(exactCaps, level, effort.coarseSlack)
  const hierarchy = coarsen(workspace, sided, effort.bisectionSize, effort, null, true, random)
  const coarsest = hierarchy.levels[hierarchy.levels.length - 1]
  const tries = Math.max(effort.bisectionTries, effort.bisectionTriesInAll / (room.k - 1))
  let best: Outcome | null = null
  for (let attempt = 0; attempt < tries; attempt++) {
    if (best !== null && workspace.isExpired()) break
    const grown = tryBisection(workspace, coarsest, goals, caps, effort, attempt, random)
    if (isBetter(grown, best)) best = grown
  }
  return uncoarsen(workspace, hierarchy, 2, best!.parts, caps, effort, random).parts
}

/** Goals and caps of the two sides; the slack is spread evenly over the bisections still to come. */
function sideRoom(
  level: Level,
  room: Room,
  first: number,
  middle: number,
  end: number,
): { goals: Float64Array; caps: Float64Array } {
  const r = level.constraintCount
  const total = totalWeights(level)
  const goals = new Float64Array(2 * r)
  const caps = new Float64Array(2 * r)
  for (let p = first; p < end; p++)
    for (let i = 0; i < r; i++) {
      const at = (p < middle ? 0 : r) + i
      goals[at] += room.goals[p * r + i]
      caps[at] += room.caps[p * r + i]
    }
  const depth = Math.ceil(Math.log2(end - first))
  for (let i = 0; i < r; i++) {
    const whole = goals[i] + goals[r + i]
    const slack = Math.max(caps[i] + caps[r + i] - total[i], 0.002 * total[i])
    for (const at of [i, r + i]) {
      const share = whole > 0 ? goals[at] / whole : 0.5
      goals[at] = total[i] * share
      caps[at] = goals[at] + (slack * share) / depth
    }
  }
  return { goals, caps }
}

function tryBisection(
  workspace: Workspace,
  level: Level,
  goals: Float64Array,
  caps: Float64Array,
  effort: Effort,
  attempt: number,
  random: SeededRandom,
): Outcome {
  const parts = level.fixed.map(p => (p < 0 ? 1 : p))
  if (attempt % 4 === 3) scatter(level, parts, goals, random)
  const placement = new Placement(workspace, level, 2, parts, widened(caps, level, effort.coarseSlack))
  if (attempt % 4 !== 3) growPart(placement, 0, goals, random)
  rebalance(placement)
  refineByMoves(placement, effort.fm, random)
  rebalance(placement)
  return outcomeOf(placement)
}

/** Heaviest vertices first, each to the side with more room left: balanced, whatever the nets say. */
function scatter(level: Level, parts: Int32Array, goals: Float64Array, random: SeededRandom): void {
  const r = level.constraintCount
  const weightOf = (v: number) => {
    let most = 0
    for (let i = 0; i < r; i++)
      most = Math.max(most, level.weights[v * r + i] / (goals[i] + goals[r + i] || 1))
    return most
  }
  const keys = new Float64Array(level.vertexCount)
  for (let v = 0; v < keys.length; v++) keys[v] = weightOf(v) * (0.5 + random.next())
  const order = shuffled(level.vertexCount, random).sort((a, b) => keys[b] - keys[a])
  const filled = new Float64Array(2 * r)
  for (let v = 0; v < keys.length; v++)
    if (level.fixed[v] >= 0) for (let i = 0; i < r; i++) filled[parts[v] * r + i] += level.weights[v * r + i]
  const fillOf = (side: number, v: number) => {
    let most = 0
    for (let i = side * r; i < side * r + r; i++)
      if (goals[i] > 0) most = Math.max(most, (filled[i] + level.weights[v * r + (i % r)]) / goals[i])
    return most
  }
  for (const v of order) {
    if (level.fixed[v] >= 0) continue
    parts[v] = fillOf(0, v) <= fillOf(1, v) ? 0 : 1
    for (let i = 0; i < r; i++) filled[parts[v] * r + i] += level.weights[v * r + i]
  }
}
