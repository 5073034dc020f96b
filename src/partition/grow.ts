import type { SeededRandom } from '../model/random.js'
import type { GainListener, Placement } from './placement.js'
import type { VertexHeap } from './vertex-heap.js'

/** Grows part 0 of a bisection, whose free vertices all lie in part 1, until it has its share of the weight. */
export function growFirstPart(placement: Placement, goals: Float64Array, random: SeededRandom): void {
  const { level } = placement
  const growth = new Growth(placement)
  let stuck = 0
  while (!isGrown(placement, goals) && stuck < level.vertexCount) {
    const vertex = growth.next(random)
    if (vertex < 0) return
    if (placement.fits(vertex, 0)) {
      placement.move(vertex, 0, growth)
      stuck = 0
    } else stuck++
  }
  growth.end()
}

function isGrown(placement: Placement, goals: Float64Array): boolean {
  const r = placement.level.constraintCount
  let share = 0
  let counted = 0
  for (let i = 0; i < r; i++) {
    if (goals[i] <= 0) continue
    share += placement.partWeights[i] / goals[i]
    counted++
  }
  return counted === 0 ? placement.partSizes[0] >= placement.partSizes[1] : share / counted >= 0.99
}

class Growth implements GainListener {
  readonly #placement: Placement
  readonly #heap: VertexHeap
  readonly #tried: Uint8Array

  constructor(placement: Placement) {
    this.#placement = placement
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
        if (this.#tried[v] === 0 && this.#placement.parts[v] === 1 && fixed[v] < 0) vertex = v
      }
    }
    if (vertex >= 0) this.#tried[vertex] = 1
    return vertex
  }

  nearer(vertex: number, part: number): void {
    if (part === 0) this.#offer(vertex)
  }

  shifted(vertex: number): void {
    this.#offer(vertex)
  }

  end(): void {
    this.#heap.clear()
  }

  #offer(vertex: number): void {
    const placement = this.#placement
    if (placement.parts[vertex] !== 1 || this.#tried[vertex] === 1 || placement.level.fixed[vertex] >= 0)
      return
    this.#heap.put(vertex, placement.gain(vertex, 0))
  }
}
