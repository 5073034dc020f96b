import { SeededRandom } from '../../model/index.js'
import { PLACEMENT_BYTES } from '../limits.js'
import { bisect } from './bisection.js'
import { extract } from './coarsen/index.js'
import { Evolution } from './evolve.js'
import { startFromPrevious } from './start-from-previous.js'
import {
  type Effort,
  type Level,
  type Outcome,
  pack,
  presets,
  type Room,
  type Workspace,
} from './state/index.js'

/** Direct k-way where its tables fit into memory; else two halves of the parts, each for itself. */
export function solve(
  workspace: Workspace,
  level: Level,
  room: Room,
  preferred: Int32Array | null,
  effort: Effort,
  seed: number,
): Int32Array {
  const random = new SeededRandom(seed)
  if (room.k === 1) return new Int32Array(level.vertexCount)
  if ((level.netCount * 4 + level.vertexCount * 8) * room.k <= PLACEMENT_BYTES) {
    return evolve(workspace, level, room, preferred, effort, random)[0].parts
  }
  const middle = room.k >> 1
  // The same halves as the preset that runs first: each is then partitioned at least as well.
  const halving = effort.after === null ? effort : presets[effort.after]
  const sides = bisect(workspace, level, room, 0, middle, room.k, halving, random)
  const parts = new Int32Array(level.vertexCount)
  for (let side = 0; side < 2; side++) {
    const from = side === 0 ? 0 : middle
    const to = side === 0 ? middle : room.k
    const map = new Int32Array(level.vertexCount).fill(-1)
    const members = new Int32Array(level.vertexCount)
    let size = 0
    for (let v = 0; v < map.length; v++)
      if (sides[v] === side) {
        members[size] = v
        map[v] = size++
      }
    const shift = (from: Int32Array, by: number) =>
      members.subarray(0, size).map(v => (from[v] >= by && from[v] < to ? from[v] - by : -1))
    const half = extract(level, map, size, shift(level.fixed, from))
    const split = solve(
      workspace,
      half,
      slice(room, level.constraintCount, from, to),
      preferred === null ? null : shift(preferred, from),
      effort,
      seed + side + 1,
    )
    for (let i = 0; i < size; i++) parts[members[i]] = split[i] + from
  }
  // A half may have got more than its parts can hold. Of balanced parts the packing changes nothing.
  const packing = pack(level, room.k, room.caps, parts)
  return packing.overload === 0 ? packing.parts : parts
}

/** The partitions found, the best one first. */
function evolve(
  workspace: Workspace,
  level: Level,
  room: Room,
  preferred: Int32Array | null,
  effort: Effort,
  random: SeededRandom,
): readonly Outcome[] {
  let start: readonly Outcome[] = []
  if (effort.after !== null) start = evolve(workspace, level, room, preferred, presets[effort.after], random)
  else if (preferred !== null) start = [startFromPrevious(workspace, level, room, preferred, effort, random)]
  return new Evolution(workspace, level, room, effort, random).run(start)
}

function slice(room: Room, r: number, from: number, to: number): Room {
  return {
    k: to - from,
    goals: room.goals.slice(from * r, to * r),
    caps: room.caps.slice(from * r, to * r),
  }
}
