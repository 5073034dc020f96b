import { type Level, totalWeights } from './level.js'

/** Parts chosen by weight, and the weight above the caps, in caps (as `Placement.overload`). */
export interface Packing {
  readonly parts: Int32Array
  readonly overload: number
}

/**
 * Largest vertices first, each to the part that it leaves least full. With `homes`, a vertex stays where it
 * was as long as that part has room: the small ones, which come last, make way for the large ones. Sees
 * weights, not nets.
 */
export function pack(level: Level, k: number, caps: Float64Array, homes: Int32Array | null): Packing {
  const byLargest = packInOrder(level, k, caps, homes, Math.max)
  if (byLargest.overload === 0 || level.constraintCount === 1) return byLargest
  const bySum = packInOrder(level, k, caps, homes, (a, b) => a + b)
  return bySum.overload < byLargest.overload ? bySum : byLargest
}

/** `join` makes one size of what a vertex takes in each constraint. */
function packInOrder(
  level: Level,
  k: number,
  caps: Float64Array,
  homes: Int32Array | null,
  join: (a: number, b: number) => number,
): Packing {
  const filling = new Filling(level, k, caps)
  const parts = level.fixed.slice()
  for (let v = 0; v < parts.length; v++) if (parts[v] >= 0) filling.add(v, parts[v])
  for (const v of bySize(level, join)) {
    if (parts[v] >= 0) continue
    const home = homes === null ? -1 : homes[v]
    parts[v] = home >= 0 && filling.after(v, home) <= 1 ? home : filling.roomiest(v)
    filling.add(v, parts[v])
  }
  return { parts, overload: filling.overload() }
}

/** Vertices by falling size; equals by number. */
function bySize(level: Level, join: (a: number, b: number) => number): Int32Array {
  const { vertexCount, constraintCount: r, weights } = level
  const total = totalWeights(level)
  const sizes = new Float64Array(vertexCount)
  for (let v = 0; v < vertexCount; v++)
    for (let i = 0; i < r; i++) sizes[v] = join(sizes[v], weights[v * r + i] / (total[i] || 1))
  const order = new Int32Array(vertexCount)
  for (let v = 0; v < vertexCount; v++) order[v] = v
  return order.sort((a, b) => sizes[b] - sizes[a] || a - b)
}

class Filling {
  readonly #level: Level
  readonly #k: number
  readonly #caps: Float64Array
  readonly #loads: Float64Array

  constructor(level: Level, k: number, caps: Float64Array) {
    this.#level = level
    this.#k = k
    this.#caps = caps
    this.#loads = new Float64Array(caps.length)
  }

  add(vertex: number, part: number): void {
    const { weights, constraintCount: r } = this.#level
    for (let i = 0; i < r; i++) this.#loads[part * r + i] += weights[vertex * r + i]
  }

  /** How full the part is with the vertex, by its fullest constraint. */
  after(vertex: number, part: number): number {
    const { weights, constraintCount: r } = this.#level
    const caps = this.#caps
    let most = 0
    for (let i = 0; i < r; i++) {
      const at = part * r + i
      const weight = weights[vertex * r + i]
      const share = weight === 0 ? 0 : (this.#loads[at] + weight) / caps[at]
      if (share > most) most = share
    }
    return most
  }

  roomiest(vertex: number): number {
    let best = 0
    let least = Number.POSITIVE_INFINITY
    for (let p = 0; p < this.#k; p++) {
      const fill = this.after(vertex, p)
      if (fill >= least) continue
      least = fill
      best = p
    }
    return best
  }

  overload(): number {
    const caps = this.#caps
    let sum = 0
    for (let at = 0; at < caps.length; at++) sum += Math.max(0, this.#loads[at] - caps[at]) / (caps[at] || 1)
    return sum
  }
}
