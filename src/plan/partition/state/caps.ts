import { type Level, totalWeights } from './level.js'
import { imbalanceBoundOf } from './objectives.js'
import { pack } from './packing.js'

/** What is known of the parts before caps are set. */
export interface CapsRequest {
  readonly level: Level
  /** level.fixed, with the heavy vertices pinned to parts of their own. */
  readonly fixed: Int32Array
  /** Parts that one heavy vertex, or what is fixed to them, fills. */
  readonly heavyParts: ReadonlySet<number>
  readonly shares: readonly number[]
  readonly epsilons: readonly number[]
  /** goals[p * constraintCount + r]: what each part should weigh. */
  readonly goals: Float64Array
}

/** What a part may weigh in one constraint. */
type Cap = (part: number, constraint: number) => number

/**
 * The first of three sets of caps that a packing meets, else the last. Heavy parts are capped at what they
 * hold, but for 2.
 * 1. (1 + eps) of its share for each part, or the heaviest vertex that some part must hold;
 * 2. for all parts what the heaviest one cannot avoid: max(eps, bound);
 * 3. (1 + eps) of what the heavy vertices leave for each of the other parts.
 */
export function tightestCaps(request: CapsRequest): Float64Array {
  const { level, fixed, heavyParts, shares, epsilons, goals } = request
  const r = level.constraintCount
  const total = totalWeights(level)
  const bounds = imbalanceBoundOf({ ...level, vertexWeights: level.weights }, shares, level.fixed)
  const heaviest = heaviestFree(level, fixed)
  const grains = Array.from(total, (_, i) => grainOf(level, i))
  const even: Cap = (p, i) => (1 + epsilons[i]) * total[i] * shares[p]
  const limit: Cap = (p, i) => (1 + Math.max(epsilons[i], bounds[i])) * total[i] * shares[p]
  const tight: Cap = (p, i) =>
    heavyParts.has(p) ? 0 : Math.min(Math.max(even(p, i), heaviest[i]), limit(p, i))
  const loose: Cap = (p, i) => {
    if (heavyParts.has(p)) return 0
    const goal = goals[p * r + i]
    // Whole weights do not divide evenly: a part must be able to hold its share rounded up.
    const rounded = grains[i] > 0 ? Math.ceil(goal / grains[i] - 1e-9) * grains[i] : 0
    return Math.max(even(p, i), (1 + epsilons[i]) * goal, rounded)
  }
  const capsBy = (cap: Cap) =>
    goals.map((goal, at) => {
      const part = Math.floor(at / r)
      return Math.max(cap(part, at % r), heavyParts.has(part) ? goal : 0) * (1 + 1e-12)
    })
  const isPlain = heavyParts.size === 0 && bounds.every((bound, i) => bound <= epsilons[i])
  if (!isPlain) {
    const pinned = level.withFixed(fixed)
    for (const cap of [tight, limit]) {
      const caps = capsBy(cap)
      if (pack(pinned, shares.length, caps, null).overload === 0) return caps
    }
  }
  return capsBy(loose)
}

/** The most a free vertex weighs, per constraint. */
function heaviestFree({ vertexCount, constraintCount: r, weights }: Level, fixed: Int32Array): Float64Array {
  const heaviest = new Float64Array(r)
  for (let v = 0; v < vertexCount; v++) {
    if (fixed[v] >= 0) continue
    for (let i = 0; i < r; i++) heaviest[i] = Math.max(heaviest[i], weights[v * r + i])
  }
  return heaviest
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
