import type { Level } from './level.js'
import type { Workspace } from './workspace.js'

function largestNet(level: Level): number {
  let most = 0
  for (let e = 0; e < level.netCount; e++)
    most = Math.max(most, level.netOffsets[e + 1] - level.netOffsets[e])
  return most
}

/** What a move does to the gains of other vertices, told to whoever keeps them in order. */
export interface GainListener {
  /** `vertex` gained `cost` towards `part`. */
  nearer(vertex: number, part: number): void
  /** Every move of `vertex` gains `change` more than before. */
  shifted(vertex: number, change: number): void
}

/**
 * Vertices in parts, with everything a move needs kept up to date: pins of each net in each part, what each
 * vertex shares with each part, part weights, the objective. Gain of v to part t: lone[v] + links[v, t] -
 * degree[v].
 */
export class Placement {
  readonly level: Level
  readonly k: number
  readonly parts: Int32Array
  /** caps[p * constraintCount + r] */
  readonly caps: Float64Array
  readonly partWeights: Float64Array
  /** pinCounts[e * k + p] */
  readonly pinCounts: Uint16Array | Int32Array
  /** links[v * k + p]: cost of v's nets that have a pin in p. */
  readonly links: Float64Array
  /** Cost of v's nets that have no other pin in v's part. */
  readonly lone: Float64Array
  /** Nets of v that touch more than one part. */
  readonly cutNets: Int32Array
  readonly workspace: Workspace
  km1: number

  /** Takes `parts` over and changes it. */
  constructor(workspace: Workspace, level: Level, k: number, parts: Int32Array, caps: Float64Array) {
    this.workspace = workspace
    this.level = level
    this.k = k
    this.parts = parts
    this.caps = caps
    this.partWeights = new Float64Array(caps.length)
    this.pinCounts = workspace.pinCounts(level.netCount * k, largestNet(level) > 65_535)
    this.links = workspace.links(level.vertexCount * k)
    this.lone = workspace.lone(level.vertexCount)
    this.cutNets = new Int32Array(level.vertexCount)
    this.#weigh()
    this.km1 = this.#count()
  }

  #weigh(): void {
    const { weights, vertexCount, constraintCount: r } = this.level
    for (let v = 0; v < vertexCount; v++) {
      const p = this.parts[v]
      for (let i = 0; i < r; i++) this.partWeights[p * r + i] += weights[v * r + i]
    }
  }

  #count(): number {
    const { netCount, netOffsets, pins, netCosts } = this.level
    const { k, parts, pinCounts, links, lone, cutNets } = this
    const { vertexCount, degrees } = this.level
    const touched = new Int32Array(k)
    let km1 = 0
    this.workspace.spend(2 * pins.length + ((netCount + vertexCount) * k) / 16)
    // Every net of a vertex has a pin in the vertex's own part: the vertex itself.
    for (let v = 0; v < vertexCount; v++) links[v * k + parts[v]] = degrees[v]
    for (let e = 0; e < netCount; e++) {
      const base = e * k
      const cost = netCosts[e]
      const end = netOffsets[e + 1]
      let count = 0
      for (let i = netOffsets[e]; i < end; i++) {
        const p = parts[pins[i]]
        if (pinCounts[base + p]++ === 0) touched[count++] = p
      }
      if (count === 1) continue
      km1 += (count - 1) * cost
      for (let i = netOffsets[e]; i < end; i++) {
        const v = pins[i]
        const own = parts[v]
        cutNets[v]++
        for (let j = 0; j < count; j++) if (touched[j] !== own) links[v * k + touched[j]] += cost
        if (pinCounts[base + own] === 1) lone[v] += cost
      }
    }
    return km1
  }

  fits(vertex: number, part: number): boolean {
    const { weights, constraintCount: r } = this.level
    for (let i = 0; i < r; i++)
      if (this.partWeights[part * r + i] + weights[vertex * r + i] > this.caps[part * r + i]) return false
    return true
  }

  gain(vertex: number, part: number): number {
    return this.lone[vertex] + this.links[vertex * this.k + part] - this.level.degrees[vertex]
  }

  /**
   * The part with room that shares most with the vertex, the emptier one of equals; -1 when none shares
   * anything.
   */
  nearestTarget(vertex: number): number {
    return this.#target(vertex, Number.MIN_VALUE)
  }

  /** As `nearestTarget`, but parts that share nothing will do; -1 when none has room. */
  anyTarget(vertex: number): number {
    const near = this.#target(vertex, Number.MIN_VALUE)
    return near >= 0 ? near : this.#target(vertex, 0)
  }

  #target(vertex: number, least: number): number {
    const { k, links } = this
    const from = this.parts[vertex]
    const base = vertex * k
    let best = -1
    let most = least
    this.workspace.spend(2 + k / 6)
    for (let p = 0; p < k; p++) {
      const shared = links[base + p]
      if (shared < most || p === from) continue
      if (shared === most && best >= 0 && this.fill(p) >= this.fill(best)) continue
      if (!this.fits(vertex, p)) continue
      best = p
      most = shared
    }
    return best
  }

  /** How full a part is, by its fullest constraint. */
  fill(part: number): number {
    const r = this.level.constraintCount
    let most = 0
    for (let i = part * r; i < part * r + r; i++) {
      const share = this.partWeights[i] / this.caps[i]
      if (share > most) most = share
    }
    return most
  }

  /** Weight above the caps, in caps, summed over parts and constraints; 0 when balanced. */
  overload(): number {
    let sum = 0
    for (let i = 0; i < this.caps.length; i++) {
      const over = this.partWeights[i] - this.caps[i]
      if (over > 0) sum += over / this.caps[i]
    }
    return sum
  }

  isBoundary(vertex: number): boolean {
    return this.cutNets[vertex] > 0
  }

  /** Moves a vertex and returns what it gained. */
  move(vertex: number, to: number, listener: GainListener | null): number {
    const { vertexOffsets, nets, weights, constraintCount: r } = this.level
    const { netOffsets, pins, netCosts } = this.level
    const { k, parts, pinCounts, links, lone, cutNets } = this
    const from = parts[vertex]
    for (let i = 0; i < r; i++) {
      this.partWeights[from * r + i] -= weights[vertex * r + i]
      this.partWeights[to * r + i] += weights[vertex * r + i]
    }
    parts[vertex] = to
    let gain = 0
    let work = 1
    for (let n = vertexOffsets[vertex]; n < vertexOffsets[vertex + 1]; n++) {
      const e = nets[n]
      const cost = netCosts[e]
      const start = netOffsets[e]
      const end = netOffsets[e + 1]
      const left = --pinCounts[e * k + from]
      const joined = ++pinCounts[e * k + to]
      work++
      if (left === 0) {
        gain += cost
        lone[vertex] -= cost
        work += end - start
        for (let i = start; i < end; i++) links[pins[i] * k + from] -= cost
        if (joined === end - start) for (let i = start; i < end; i++) cutNets[pins[i]]--
      } else if (left === 1) {
        for (let i = start; i < end; i++) {
          const u = pins[i]
          if (parts[u] !== from) continue
          lone[u] += cost
          if (listener !== null) listener.shifted(u, cost)
          break
        }
      }
      if (joined === 1) {
        gain -= cost
        lone[vertex] += cost
        work += end - start
        if (left === end - start - 1) for (let i = start; i < end; i++) cutNets[pins[i]]++
        for (let i = start; i < end; i++) {
          const u = pins[i]
          links[u * k + to] += cost
          if (listener !== null) listener.nearer(u, to)
        }
      } else if (joined === 2) {
        for (let i = start; i < end; i++) {
          const u = pins[i]
          if (u === vertex || parts[u] !== to) continue
          lone[u] -= cost
          if (listener !== null) listener.shifted(u, -cost)
          break
        }
      }
    }
    this.workspace.spend(work)
    this.km1 -= gain
    return gain
  }
}
