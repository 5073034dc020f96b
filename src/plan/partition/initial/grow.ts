import type { SeededRandom } from '../../../model/index.js'
import type { GainListener, Placement, VertexHeap } from '../state/index.js'

/**
 * Grows a part, neighbour by neighbour, until it has its share of the weight. It takes from parts above their
 * own share only, so that in a bisection, where the other side holds everything, it may take any vertex.
 */
export function growPart(
  placement: Placement,
  part: number,
  goals: Float64Array,
  random: SeededRandom,
): void {
  const growth = new Growth(placement, part, goals)
  while (!isGrown(placement, part, goals)) {
    const vertex = growth.next(random)
    if (vertex < 0) break
    if (growth.mayTake(vertex)) placement.move(vertex, part, growth)
  }
  growth.end()
}

function isGrown(placement: Placement, part: number, goals: Float64Array): boolean {
  const r = placement.level.constraintCount
  let share = 0
  let counted = 0
  for (let i = part * r; i < part * r + r; i++) {
    if (goals[i] <= 0) continue
    share += placement.partWeights[i] / goals[i]
    counted++
  }
  return counted === 0 || share / counted >= 0.99
}

class Growth implements GainListener {
  readonly #placement: Placement
  readonly #part: number
  readonly #goals: Float64Array
  readonly #heap: VertexHeap
  readonly #tried: Uint8Array

  constructor(placement: Placement, part: number, goals: Float64Array) {
    this.#placement = placement
    this.#part = part
    this.#goals = goals
    this.#heap = placement.workspace.heap(placement.level.vertexCount)
    this.#tried = new Uint8Array(placement.level.vertexCount)
  }

  /** The best neighbour of the part, or a random vertex when it has none; each vertex once. */
  next(random: SeededRandom): number {
    const { vertexCount, fixed } = this.#placement.level
    let vertex = -1
    if (this.#heap.size > 0) vertex = this.#heap.pop()
    else {
      const start = Math.floor(random.next() * vertexCount)
      for (let i = 0; i < vertexCount && vertex < 0; i++) {
        const v = (start + i) % vertexCount
        if (this.#tried[v] === 0 && this.#placement.parts[v] !== this.#part && fixed[v] < 0) vertex = v
      }
    }
    if (vertex >= 0) this.#tried[vertex] = 1
    return vertex
  }

  mayTake(vertex: number): boolean {
    const placement = this.#placement
    if (!placement.fits(vertex, this.#part)) return false
    if (placement.k === 2) return true
    const r = placement.level.constraintCount
    const from = placement.parts[vertex]
    for (let i = from * r; i < from * r + r; i++) if (placement.partWeights[i] > this.#goals[i]) return true
    return false
  }

  nearer(vertex: number, part: number): void {
    if (part === this.#part) this.#offer(vertex)
  }

  shifted(vertex: number): void {
    this.#offer(vertex)
  }

  end(): void {
    this.#heap.clear()
  }

  #offer(vertex: number): void {
    const placement = this.#placement
    if (placement.parts[vertex] === this.#part || this.#tried[vertex] === 1) return
    if (placement.level.fixed[vertex] >= 0) return
    this.#heap.put(vertex, placement.gain(vertex, this.#part))
  }
}
