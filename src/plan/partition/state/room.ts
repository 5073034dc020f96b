import { tightestCaps } from './caps.js'
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
 * While the heaviest vertex outweighs (1 + eps) * rest / (parts left) it gets a part of its own. With unequal
 * shares the largest part left is what a vertex is measured against. The caps are the tightest that a packing
 * can meet.
 */
export function planRoom(
  level: Level,
  shares: readonly number[],
  epsilons: readonly number[],
  preferred: Int32Array | null,
): RoomPlan {
  const r = level.constraintCount
  const rest = totalWeights(level)
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
  const heavyParts = new Set(shares.keys())
  for (const p of left) heavyParts.delete(p)
  const goals = goalsOf(level, fixed, shares, rest, heavyParts)
  const caps = tightestCaps({ level, fixed, heavyParts, shares, epsilons, goals })
  return { room: { k: shares.length, goals, caps }, fixed, heavy, heavyParts }
}

/** Heavy parts should weigh what is pinned to them, the others their share of the rest. */
function goalsOf(
  level: Level,
  fixed: Int32Array,
  shares: readonly number[],
  rest: Float64Array,
  heavyParts: ReadonlySet<number>,
): Float64Array {
  const r = level.constraintCount
  const goals = new Float64Array(shares.length * r)
  let leftShare = 0
  for (const [p, share] of shares.entries()) if (!heavyParts.has(p)) leftShare += share
  for (const [p, share] of shares.entries())
    if (!heavyParts.has(p)) for (let i = 0; i < r; i++) goals[p * r + i] = (rest[i] * share) / leftShare
  for (let v = 0; v < level.vertexCount; v++)
    if (fixed[v] >= 0 && heavyParts.has(fixed[v]))
      for (let i = 0; i < r; i++) goals[fixed[v] * r + i] += level.weights[v * r + i]
  return goals
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
