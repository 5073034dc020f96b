import type { SeededRandom } from '../../../model/index.js'
import { type FmLimits, type GainListener, type Placement, shuffle, type VertexHeap } from '../state/index.js'

/**
 * Local searches with rollback (Fiduccia and Mattheyses, k-way): each starts from a few boundary vertices,
 * moves the best vertex it knows even at a loss, learns the neighbours of what it moved, and returns to the
 * best state seen.
 */
export function refineByMoves(placement: Placement, limits: FmLimits, random: SeededRandom): void {
  const search = new LocalSearch(placement, limits)
  for (let round = 0; round < limits.rounds; round++) {
    const before = placement.km1
    search.startRound()
    const border = boundary(placement, search.stirred, random)
    const seeds = Number.isFinite(limits.fruitless) ? byPromise(placement, border) : border
    searchFrom(placement, search, seeds, limits)
    if (placement.workspace.isExpired()) return
    if (before - placement.km1 <= limits.worthwhile * before) break
  }
}

/** One search after another, until too much work in a row has gained nothing. */
function searchFrom(placement: Placement, search: LocalSearch, starts: Int32Array, limits: FmLimits): void {
  const { workspace, level } = placement
  const allowance = limits.fruitless * level.pins.length
  let workAtGain = workspace.work
  for (let i = 0; i < starts.length && !workspace.isExpired(); ) {
    let planted = 0
    for (; i < starts.length && planted < limits.seeds; i++) if (search.plant(starts[i])) planted++
    if (planted === 0) continue
    if (search.run()) workAtGain = workspace.work
    else if (workspace.work - workAtGain > allowance) return
  }
}

/** The vertices to start from: at first all at a border, then those near what moved in the round before. */
function boundary(placement: Placement, stirred: Uint8Array, random: SeededRandom): Int32Array {
  const { vertexCount, fixed } = placement.level
  const found = new Int32Array(vertexCount)
  let count = 0
  for (let v = 0; v < vertexCount; v++)
    if (fixed[v] < 0 && stirred[v] === 1 && placement.isBoundary(v)) found[count++] = v
  stirred.fill(0)
  return shuffle(found.subarray(0, count), random)
}

const LOSS_CLASSES = 10

/**
 * Those that lose least by their best move first, in the given order among equals. A loss is measured in nets
 * of the vertex, so that the classes mean the same on every level.
 */
function byPromise(placement: Placement, border: Int32Array): Int32Array {
  const { degrees, vertexOffsets } = placement.level
  const classes = new Uint8Array(border.length)
  const next = new Int32Array(LOSS_CLASSES + 1)
  for (let i = 0; i < border.length; i++) {
    const v = border[i]
    const target = placement.nearestTarget(v)
    const loss = target < 0 ? Number.POSITIVE_INFINITY : -placement.gain(v, target) / degrees[v]
    const netsLost = loss * (vertexOffsets[v + 1] - vertexOffsets[v])
    classes[i] = Math.max(0, Math.min(LOSS_CLASSES - 1, Math.ceil(netsLost * 2)))
    next[classes[i] + 1]++
  }
  for (let c = 0; c < LOSS_CLASSES; c++) next[c + 1] += next[c]
  const ordered = new Int32Array(border.length)
  for (let i = 0; i < border.length; i++) ordered[next[classes[i]]++] = border[i]
  return ordered
}

/** In larger nets one pin hardly changes what the others gain. */
const STIRRING_NET = 40

class LocalSearch implements GainListener {
  readonly #placement: Placement
  readonly #limits: FmLimits
  readonly #heap: VertexHeap
  /** Where a queued vertex would go. */
  readonly #targets: Int32Array
  /** 1: not to be moved any more in this round. */
  readonly #locked: Uint8Array
  readonly #moved: Int32Array
  readonly #origins: Int32Array
  /** 1: the vertex or a neighbour of it has moved for good since the round began. */
  readonly stirred: Uint8Array

  constructor(placement: Placement, limits: FmLimits) {
    const count = placement.level.vertexCount
    this.#placement = placement
    this.#limits = limits
    this.#heap = placement.workspace.heap(count)
    this.#targets = new Int32Array(count)
    this.#locked = new Uint8Array(count)
    this.#moved = new Int32Array(count)
    this.#origins = new Int32Array(count)
    this.stirred = new Uint8Array(count).fill(1)
  }

  startRound(): void {
    const { fixed, vertexCount } = this.#placement.level
    for (let v = 0; v < vertexCount; v++) this.#locked[v] = fixed[v] >= 0 ? 1 : 0
  }

  plant(vertex: number): boolean {
    if (this.#locked[vertex] === 1 || this.#heap.has(vertex)) return false
    return this.#enqueue(vertex)
  }

  nearer(vertex: number, part: number): void {
    if (this.#locked[vertex] === 1) return
    if (!this.#heap.has(vertex)) {
      this.#enqueue(vertex)
      return
    }
    const placement = this.#placement
    const gain = placement.gain(vertex, part)
    if (gain <= this.#heap.keys[vertex] || part === placement.parts[vertex]) return
    if (!placement.fits(vertex, part)) return
    this.#targets[vertex] = part
    this.#heap.put(vertex, gain)
  }

  shifted(vertex: number, change: number): void {
    if (this.#locked[vertex] === 1) return
    if (this.#heap.has(vertex)) this.#heap.put(vertex, this.#heap.keys[vertex] + change)
    else this.#enqueue(vertex)
  }

  /**
   * Runs until nothing promising is left, then undoes what came after the best state. Returns whether that is
   * better than the state it began with.
   */
  run(): boolean {
    const placement = this.#placement
    const heap = this.#heap
    let count = 0
    let best = 0
    let bestCount = 0
    let balance = 0
    let sum = 0
    let squares = 0
    while (heap.size > 0) {
      const vertex = this.#next()
      if (vertex < 0) break
      this.#locked[vertex] = 1
      this.#moved[count] = vertex
      this.#origins[count++] = placement.parts[vertex]
      const gain = placement.move(vertex, this.#targets[vertex], this)
      balance += gain
      if (balance > best) {
        best = balance
        bestCount = count
        sum = 0
        squares = 0
        continue
      }
      sum += gain
      squares += gain * gain
      if (this.#hopeless(count - bestCount, sum, squares)) break
    }
    heap.clear()
    for (let i = count - 1; i >= bestCount; i--) placement.move(this.#moved[i], this.#origins[i], null)
    for (let i = 0; i < bestCount; i++) this.#stir(this.#moved[i])
    return bestCount > 0
  }

  #stir(vertex: number): void {
    const { vertexOffsets, nets, netOffsets, pins } = this.#placement.level
    this.stirred[vertex] = 1
    for (let n = vertexOffsets[vertex]; n < vertexOffsets[vertex + 1]; n++) {
      const start = netOffsets[nets[n]]
      const end = netOffsets[nets[n] + 1]
      if (end - start > STIRRING_NET) continue
      for (let i = start; i < end; i++) this.stirred[pins[i]] = 1
    }
  }

  /** The queued vertex with the highest true gain: keys may be too high, and targets may have filled up. */
  #next(): number {
    const placement = this.#placement
    const heap = this.#heap
    while (heap.size > 0) {
      const vertex = heap.top()
      const target = placement.nearestTarget(vertex)
      if (target < 0) {
        heap.pop()
        continue
      }
      this.#targets[vertex] = target
      const gain = placement.gain(vertex, target)
      if (gain >= heap.keys[vertex]) return heap.pop()
      heap.put(vertex, gain)
      if (heap.top() === vertex) return heap.pop()
    }
    return -1
  }

  #enqueue(vertex: number): boolean {
    const target = this.#placement.nearestTarget(vertex)
    if (target < 0) return false
    this.#targets[vertex] = target
    this.#heap.put(vertex, this.#placement.gain(vertex, target))
    return true
  }

  /** The gains since the best state, seen as a random walk, leave little chance of a new best. */
  #hopeless(steps: number, sum: number, squares: number): boolean {
    if (steps >= this.#limits.patience) return true
    if (steps < 10) return false
    const mean = sum / steps
    const variance = squares / steps - mean * mean
    return mean < 0 && steps * mean * mean > variance + Math.log(this.#placement.level.vertexCount)
  }
}
