import type { SeededRandom } from '../../../model/index.js'
import { type Level, shuffled, totalWeights } from '../state/index.js'

export interface ClusterLimits {
  /** Heaviest cluster, per constraint. */
  readonly maxWeights: Float64Array
  /** Clusters to stop at. */
  readonly stopAt: number
  /** Nets with more pins say little about who belongs together and cost much to read. */
  readonly maxNetSize: number
}

export interface Clustering {
  /** Cluster of each vertex, 0 .. count - 1. */
  readonly map: Int32Array
  readonly count: number
  /** Pins read. */
  readonly work: number
}

/**
 * Joins each vertex to the neighbouring cluster with the highest sum of cost / (pins - 1) over shared nets.
 * With `labels`, only vertices of the same label join (a partition to keep, or communities).
 */
export function cluster(
  level: Level,
  limits: ClusterLimits,
  labels: Int32Array | null,
  random: SeededRandom,
): Clustering {
  const joiner = new Joiner(level, limits, labels)
  const order = byDegree(level, random)
  for (let i = 0; i < order.length && joiner.count > limits.stopAt; i++) joiner.visit(order[i])
  return joiner.finish()
}

/**
 * Vertices with few nets first, at random among equals: hubs that choose early choose badly for their leaves.
 */
function byDegree(level: Level, random: SeededRandom): Int32Array {
  const { vertexCount, vertexOffsets } = level
  let most = 0
  for (let v = 0; v < vertexCount; v++) most = Math.max(most, vertexOffsets[v + 1] - vertexOffsets[v])
  const next = new Int32Array(most + 2)
  for (let v = 0; v < vertexCount; v++) next[vertexOffsets[v + 1] - vertexOffsets[v] + 1]++
  for (let d = 0; d <= most; d++) next[d + 1] += next[d]
  const order = new Int32Array(vertexCount)
  const mixed = shuffled(vertexCount, random)
  for (let i = 0; i < vertexCount; i++) {
    const v = mixed[i]
    order[next[vertexOffsets[v + 1] - vertexOffsets[v]]++] = v
  }
  return order
}

/** What a vertex weighs in comparison: its share of each constraint, and its share of the vertices. */
function massesOf(level: Level): Float64Array {
  const r = level.constraintCount
  const total = totalWeights(level)
  const masses = new Float64Array(level.vertexCount)
  for (let v = 0; v < level.vertexCount; v++) {
    let mass = 0.02 / level.vertexCount
    for (let i = 0; i < r; i++) if (total[i] > 0) mass += level.weights[v * r + i] / (total[i] * r)
    masses[v] = mass
  }
  return masses
}

class Joiner {
  count: number
  readonly #level: Level
  readonly #limits: ClusterLimits
  readonly #labels: Int32Array | null
  /** The vertex that stands for the cluster a vertex belongs to. */
  readonly #leaders: Int32Array
  readonly #weights: Float64Array
  readonly #masses: Float64Array
  readonly #alone: Uint8Array
  readonly #rating: Float64Array
  readonly #rated: Int32Array
  /** A vertex that wanted the full cluster of this leader: the next one that does joins it instead. */
  readonly #waiting: Int32Array
  #lastLoose = -1
  /** The vertex last rated has neighbours of another label. */
  #barred = false
  #work = 0

  constructor(level: Level, limits: ClusterLimits, labels: Int32Array | null) {
    this.#level = level
    this.#limits = limits
    this.#labels = labels
    this.count = level.vertexCount
    this.#leaders = new Int32Array(level.vertexCount)
    for (let v = 0; v < level.vertexCount; v++) this.#leaders[v] = v
    this.#weights = level.weights.slice()
    this.#masses = massesOf(level)
    this.#alone = new Uint8Array(level.vertexCount).fill(1)
    this.#rating = new Float64Array(level.vertexCount)
    this.#rated = new Int32Array(level.vertexCount)
    this.#waiting = new Int32Array(level.vertexCount).fill(-1)
  }

  visit(vertex: number): void {
    if (this.#alone[vertex] === 0 || this.#level.fixed[vertex] >= 0) return
    const rated = this.#rate(vertex)
    let best = -1
    let bestRating = 0
    let wish = -1
    let wishRating = 0
    for (let i = 0; i < rated; i++) {
      const leader = this.#rated[i]
      const rating = this.#rating[leader] / this.#masses[leader]
      this.#rating[leader] = 0
      if (rating > wishRating) {
        wishRating = rating
        wish = leader
      }
      if (rating < bestRating) continue
      if (rating === bestRating && best >= 0 && this.#masses[leader] >= this.#masses[best]) continue
      if (!this.#fits(vertex, leader)) continue
      best = leader
      bestRating = rating
    }
    if (best >= 0) this.#join(vertex, best)
    else this.#joinStranger(vertex, wish)
  }

  finish(): Clustering {
    const ids = new Int32Array(this.#level.vertexCount).fill(-1)
    const map = new Int32Array(this.#level.vertexCount)
    let count = 0
    for (let v = 0; v < map.length; v++) if (this.#leaders[v] === v) ids[v] = count++
    for (let v = 0; v < map.length; v++) map[v] = ids[this.#leaders[v]]
    return { map, count, work: this.#work }
  }

  #rate(vertex: number): number {
    const { vertexOffsets, nets, netOffsets, pins, netCosts } = this.#level
    const labels = this.#labels
    const label = labels === null ? 0 : labels[vertex]
    const rating = this.#rating
    const leaders = this.#leaders
    let count = 0
    this.#barred = false
    for (let n = vertexOffsets[vertex]; n < vertexOffsets[vertex + 1]; n++) {
      const e = nets[n]
      const start = netOffsets[e]
      const end = netOffsets[e + 1]
      if (end - start > this.#limits.maxNetSize) continue
      const score = netCosts[e] / (end - start - 1)
      this.#work += end - start
      for (let i = start; i < end; i++) {
        const u = pins[i]
        if (u === vertex) continue
        if (labels !== null && labels[u] !== label) {
          this.#barred = true
          continue
        }
        const leader = leaders[u]
        if (rating[leader] === 0) this.#rated[count++] = leader
        rating[leader] += score
      }
    }
    return count
  }

  /** Leaves of one full hub join each other, and so do vertices whose nets say nothing. */
  #joinStranger(vertex: number, wish: number): void {
    if (wish < 0 && this.#barred) return
    const other = wish < 0 ? this.#lastLoose : this.#waiting[wish]
    const labels = this.#labels
    if (other >= 0 && (labels === null || labels[other] === labels[vertex])) {
      const leader = this.#leaders[other]
      if (leader !== vertex && this.#fits(vertex, leader)) {
        this.#join(vertex, leader)
        return
      }
    }
    if (wish < 0) this.#lastLoose = vertex
    else this.#waiting[wish] = vertex
  }

  #fits(vertex: number, leader: number): boolean {
    if (this.#level.fixed[leader] >= 0) return false
    const r = this.#level.constraintCount
    for (let i = 0; i < r; i++)
      if (this.#weights[leader * r + i] + this.#weights[vertex * r + i] > this.#limits.maxWeights[i])
        return false
    return true
  }

  #join(vertex: number, leader: number): void {
    const r = this.#level.constraintCount
    for (let i = 0; i < r; i++) this.#weights[leader * r + i] += this.#weights[vertex * r + i]
    this.#leaders[vertex] = leader
    this.#masses[leader] += this.#masses[vertex]
    this.#alone[vertex] = 0
    this.#alone[leader] = 0
    this.count--
  }
}
