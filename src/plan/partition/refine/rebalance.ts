import type { Placement, VertexHeap } from '../state/index.js'

const ROUNDS = 6

/** Empties overloaded parts, losing as little of the objective per weight as it can. */
export function rebalance(placement: Placement): void {
  for (let round = 0; round < ROUNDS && placement.overload() > 0; round++) {
    const before = placement.overload()
    for (let p = 0; p < placement.k; p++) if (isOver(placement, p)) relieve(placement, p)
    if (placement.overload() > before * 0.999) return
  }
}

export function isOver(placement: Placement, part: number): boolean {
  const r = placement.level.constraintCount
  for (let i = part * r; i < part * r + r; i++) if (placement.partWeights[i] > placement.caps[i]) return true
  return false
}

/** Moves vertices out of a part until it is within its caps or nothing helps; `keep` stays. */
export function relieve(placement: Placement, part: number, keep = -1): void {
  const { vertexCount, fixed } = placement.level
  const heap = placement.workspace.heap(vertexCount)
  for (let v = 0; v < vertexCount; v++) {
    if (placement.parts[v] !== part || fixed[v] >= 0 || v === keep) continue
    offer(placement, heap, v, targetOf(placement, v))
  }
  while (heap.size > 0 && isOver(placement, part)) {
    const vertex = heap.top()
    const target = targetOf(placement, vertex)
    const key = target < 0 ? -Infinity : urgency(placement, vertex, target)
    if (key < heap.keys[vertex]) {
      heap.remove(vertex)
      if (key > -Infinity) heap.put(vertex, key)
      continue
    }
    heap.pop()
    placement.move(vertex, target, null)
  }
  heap.clear()
}

function offer(placement: Placement, heap: VertexHeap, vertex: number, target: number): void {
  if (target < 0) return
  const key = urgency(placement, vertex, target)
  if (key > -Infinity) heap.put(vertex, key)
}

/** A part with room, else the one whose overload grows least if that is less than what its own part loses. */
function targetOf(placement: Placement, vertex: number): number {
  const target = placement.anyTarget(vertex)
  if (target >= 0) return target
  let best = -1
  let least = relief(placement, vertex) - 1e-9
  for (let p = 0; p < placement.k; p++) {
    if (p === placement.parts[vertex]) continue
    const burden = burdenOn(placement, vertex, p)
    if (burden >= least) continue
    least = burden
    best = p
  }
  return best
}

/** Loss per overload taken away; moves that gain come first. */
function urgency(placement: Placement, vertex: number, target: number): number {
  const saved = relief(placement, vertex) - burdenOn(placement, vertex, target)
  if (saved <= 0) return -Infinity
  const gain = placement.gain(vertex, target)
  return gain > 0 ? gain * saved : gain / saved
}

/** Overload that leaves the vertex's part with it. */
function relief(placement: Placement, vertex: number): number {
  const { weights, constraintCount: r } = placement.level
  const part = placement.parts[vertex]
  let sum = 0
  for (let i = 0; i < r; i++) {
    const over = placement.partWeights[part * r + i] - placement.caps[part * r + i]
    if (over > 0) sum += Math.min(over, weights[vertex * r + i]) / placement.caps[part * r + i]
  }
  return sum
}

/** Overload the vertex would bring to a part. */
function burdenOn(placement: Placement, vertex: number, part: number): number {
  const { weights, constraintCount: r } = placement.level
  let sum = 0
  for (let i = 0; i < r; i++) {
    const cap = placement.caps[part * r + i]
    const weight = weights[vertex * r + i]
    const over = placement.partWeights[part * r + i] + weight - cap
    if (over > 0) sum += Math.min(over, weight) / cap
  }
  return sum
}
