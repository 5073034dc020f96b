import { type Level, totalWeights } from './level.js'

/** What each part should weigh and may weigh: goals[p * constraintCount + r], caps likewise. */
export interface Room {
  readonly k: number
  readonly goals: Float64Array
  readonly caps: Float64Array
}

export interface RoomPlan {
  readonly room: Room
  /** level.fixed, with the heavy vertices pinned to parts of their own. */
  readonly fixed: Int32Array
  /** Free vertices that outweigh a part. */
  readonly heavy: readonly number[]
  /** Parts that one heavy vertex, or what is fixed to them, fills. */
  readonly heavyParts: ReadonlySet<number>
}

/**
 * While the heaviest vertex outweighs (1 + eps) * rest / (parts left) it gets a part of its own; the other parts are
 * capped at (1 + eps) * max(W / k, rest / parts left) in each constraint. With unequal shares the largest part left is
 * what a vertex is measured against.
 */
export function planRoom(
  level: Level,
  shares: readonly number[],
  epsilons: readonly number[],
  preferred: Int32Array | null,
): RoomPlan {
  const r = level.constraintCount
  const k = shares.length
  const total = totalWeights(level)
  const rest = total.slice()
  const fixed = level.fixed.slice()
  const heavy: number[] = []
  const left = new Set(shares.keys())
  while (left.size > 1) {
    const vertex = outweighing(level, fixed, shares, epsilons, rest, left)
    if (vertex < 0) break
    if (fixed[vertex] < 0) {
      fixed[vertex] = ownPart(shares, left, preferred === null ? -1 : preferred[vertex], level.fixed)
      heavy.push(vertex)
    }
    left.delete(fixed[vertex])
    for (let i = 0; i < r; i++) rest[i] -= level.weights[vertex * r + i]
  }
  const room = { k, goals: new Float64Array(k * r), caps: new Float64Array(k * r) }
  const heavyParts = new Set(shares.keys())
  for (const p of left) heavyParts.delete(p)
  let leftShare = 0
  for (const p of left) leftShare += shares[p]
  for (let i = 0; i < r; i++) {
    const grain = grainOf(level, i)
    for (const p of left) {
      const goal = (rest[i] * shares[p]) / leftShare
      room.goals[p * r + i] = goal
      const cap = (1 + epsilons[i]) * Math.max(total[i] * shares[p], goal)
      // Whole weights do not divide evenly: a part must be able to hold its share rounded up.
      room.caps[p * r + i] =
        Math.max(cap, grain > 0 ? Math.ceil(goal / grain - 1e-9) * grain : 0) * (1 + 1e-12)
    }
  }
  for (let v = 0; v < level.vertexCount; v++)
    if (fixed[v] >= 0 && heavyParts.has(fixed[v]))
      for (let i = 0; i < r; i++) {
        room.goals[fixed[v] * r + i] += level.weights[v * r + i]
        room.caps[fixed[v] * r + i] += level.weights[v * r + i]
      }
  return { room, fixed, heavy, heavyParts }
}

/** The vertex that exceeds a part most, or -1. What is fixed to a part is measured against that part. */
function outweighing(
  level: Level,
  fixed: Int32Array,
  shares: readonly number[],
  epsilons: readonly number[],
  rest: Float64Array,
  left: ReadonlySet<number>,
): number {
  const r = level.constraintCount
  let leftShare = 0
  let largest = 0
  for (const p of left) {
    leftShare += shares[p]
    largest = Math.max(largest, shares[p])
  }
  let most = 1 + 1e-12
  let found = -1
  for (let v = 0; v < level.vertexCount; v++) {
    if (fixed[v] >= 0 && !left.has(fixed[v])) continue
    const share = fixed[v] >= 0 ? shares[fixed[v]] : largest
    for (let i = 0; i < r; i++) {
      const ratio = level.weights[v * r + i] / (((1 + epsilons[i]) * rest[i] * share) / leftShare)
      if (ratio <= most || !Number.isFinite(ratio)) continue
      most = ratio
      found = v
    }
  }
  return found
}

/** The largest part left; of equals the one the vertex had before, else one nothing is fixed to. */
function ownPart(
  shares: readonly number[],
  left: ReadonlySet<number>,
  before: number,
  fixed: Int32Array,
): number {
  const pinned = new Set(fixed)
  let best = -1
  const rank = (p: number) => (p === before ? 2 : pinned.has(p) ? 0 : 1)
  for (const p of left) {
    if (best < 0 || shares[p] > shares[best] || (shares[p] === shares[best] && rank(p) > rank(best))) best = p
  }
  return best
}

/** The largest number all weights are multiples of, 0 when they are not whole. */
function grainOf(level: Level, constraint: number): number {
  const r = level.constraintCount
  let grain = 0
  for (let v = 0; v < level.vertexCount && grain !== 1; v++) {
    let a = level.weights[v * r + constraint]
    if (!Number.isSafeInteger(a)) return 0
    while (a > 0) {
      const remainder = grain % a
      grain = a
      a = remainder
    }
  }
  return grain
}
