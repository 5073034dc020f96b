import type { Placement } from '../state/index.js'
import { isOver, rebalance, relieve } from './rebalance.js'

/** Pairs of vertices looked at for one overloaded part; above that a random-looking sample of them. */
const MAX_PAIRS = 4_000_000

/**
 * For parts that no single move can relieve: swaps of two vertices, then a large vertex pushed into a part
 * whose small ones find room elsewhere. Slow, and seldom needed.
 */
export function untangle(placement: Placement): void {
  for (let round = 0; round < 4 && placement.overload() > 0; round++) {
    const before = placement.overload()
    for (let p = 0; p < placement.k; p++) {
      if (isOver(placement, p)) swapOut(placement, p)
      if (isOver(placement, p)) pushOut(placement, p)
    }
    rebalance(placement)
    if (placement.overload() > before * 0.999) return
  }
}

function swapOut(placement: Placement, part: number): void {
  const { vertexCount, fixed } = placement.level
  const inside: number[] = []
  for (let v = 0; v < vertexCount; v++) if (placement.parts[v] === part && fixed[v] < 0) inside.push(v)
  inside.sort((a, b) => placement.level.degrees[a] - placement.level.degrees[b])
  const stride = Math.max(1, Math.ceil((inside.length * vertexCount) / MAX_PAIRS))
  for (let i = 0; i < inside.length && isOver(placement, part); i++) {
    const v = inside[i]
    let partner = -1
    let best = -Infinity
    for (let u = i % stride; u < vertexCount; u += stride) {
      if (placement.parts[u] === part || fixed[u] >= 0) continue
      const saved = savedBySwap(placement, v, u)
      if (saved <= 1e-12) continue
      const score = (placement.gain(v, placement.parts[u]) + placement.gain(u, part)) / saved
      if (score <= best) continue
      best = score
      partner = u
    }
    if (partner < 0) continue
    const other = placement.parts[partner]
    placement.move(v, other, null)
    placement.move(partner, part, null)
  }
  placement.workspace.spend(Math.min(MAX_PAIRS, inside.length * vertexCount))
}

/** Overload that goes away when two vertices change places. */
function savedBySwap(placement: Placement, v: number, u: number): number {
  const { weights, constraintCount: r } = placement.level
  const { partWeights, caps, parts } = placement
  let saved = 0
  for (let i = 0; i < r; i++) {
    const shift = weights[v * r + i] - weights[u * r + i]
    const from = parts[v] * r + i
    const to = parts[u] * r + i
    const before = Math.max(0, partWeights[from] - caps[from]) + Math.max(0, partWeights[to] - caps[to])
    const after =
      Math.max(0, partWeights[from] - shift - caps[from]) + Math.max(0, partWeights[to] + shift - caps[to])
    saved += (before - after) / caps[from]
  }
  return saved
}

/** Tries the vertices that would end the overload, lightest first, on the parts with most small vertices. */
function pushOut(placement: Placement, part: number): void {
  const { vertexCount, fixed } = placement.level
  const inside: number[] = []
  for (let v = 0; v < vertexCount; v++)
    if (placement.parts[v] === part && fixed[v] < 0 && endsOverload(placement, v)) inside.push(v)
  inside.sort((a, b) => sizeOf(placement, a) - sizeOf(placement, b))
  for (const v of inside.slice(0, 3)) {
    for (const target of softest(placement, v).slice(0, 4)) {
      const saved = placement.parts.slice()
      const before = placement.overload()
      placement.move(v, target, null)
      relieve(placement, target, v)
      if (placement.overload() < before) {
        if (!isOver(placement, part)) return
        break
      }
      for (let u = 0; u < vertexCount; u++)
        if (placement.parts[u] !== saved[u]) placement.move(u, saved[u], null)
    }
  }
}

function endsOverload(placement: Placement, v: number): boolean {
  const { weights, constraintCount: r } = placement.level
  const part = placement.parts[v]
  for (let i = 0; i < r; i++)
    if (placement.partWeights[part * r + i] - weights[v * r + i] > placement.caps[part * r + i]) return false
  return true
}

/** Share of its part's cap that a vertex takes. */
function sizeOf(placement: Placement, v: number): number {
  const { weights, constraintCount: r } = placement.level
  const part = placement.parts[v]
  let most = 0
  for (let i = 0; i < r; i++) most = Math.max(most, weights[v * r + i] / placement.caps[part * r + i])
  return most
}

/** Parts by how much of them is vertices much smaller than v. */
function softest(placement: Placement, v: number): number[] {
  const { vertexCount, fixed } = placement.level
  const limit = sizeOf(placement, v) / 3
  const soft = new Float64Array(placement.k)
  for (let u = 0; u < vertexCount; u++) {
    const size = sizeOf(placement, u)
    if (fixed[u] < 0 && size <= limit) soft[placement.parts[u]] += size
  }
  return Array.from(soft.keys())
    .filter(p => p !== placement.parts[v])
    .sort((a, b) => soft[b] - placement.fill(b) - (soft[a] - placement.fill(a)))
}
