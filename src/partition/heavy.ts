import type { Room } from './bisection.js'
import type { Level } from './level.js'
import { totalWeights } from './level.js'

export interface HeavyPlan {
  readonly room: Room
  /** level.fixed with the heavy vertices pinned to parts of their own. */
  readonly fixed: Int32Array
  readonly heavy: readonly number[]
}

/**
 * While the heaviest free vertex outweighs (1 + eps) * rest / (free parts) it gets a part of its own; the others are
 * capped at (1 + eps) * max(W / k, rest / free parts) in each constraint.
 */
export function planHeavy(level: Level, k: number, epsilons: readonly number[]): HeavyPlan {
  const r = level.constraintCount
  const total = totalWeights(level, level.weights)
  const rest = total.slice()
  const fixed = level.fixed.slice()
  const heavy: number[] = []
  const taken = new Uint8Array(k)
  for (let h = 0; h < k - 1; h++) {
    let most = 1
    let pick = -1
    for (let v = 0; v < level.vertexCount; v++) {
      if (fixed[v] >= 0) continue
      for (let i = 0; i < r; i++) {
        const ratio = level.weights[v * r + i] / (((1 + epsilons[i]) * rest[i]) / (k - h))
        if (ratio > most) {
          most = ratio
          pick = v
        }
      }
    }
    if (pick < 0) break
    const part = taken.indexOf(0)
    taken[part] = 1
    fixed[pick] = part
    heavy.push(pick)
    for (let i = 0; i < r; i++) rest[i] -= level.weights[pick * r + i]
  }
  const goals = new Float64Array(k * r)
  const caps = new Float64Array(k * r)
  const free = k - heavy.length
  for (let p = 0; p < k; p++)
    for (let i = 0; i < r; i++) {
      if (taken[p] === 1) continue
      goals[p * r + i] = rest[i] / free
      caps[p * r + i] = (1 + epsilons[i]) * Math.max(total[i] / k, rest[i] / free) * (1 + 1e-12)
    }
  for (const v of heavy)
    for (let i = 0; i < r; i++) {
      goals[fixed[v] * r + i] = level.weights[v * r + i]
      caps[fixed[v] * r + i] = level.weights[v * r + i]
    }
  return { room: { k, goals, caps }, fixed, heavy }
}
