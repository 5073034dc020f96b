import { type Level, levelOf, type NetList } from '../state/index.js'

/**
 * Renames the pins by `map`, drops repeated pins and nets that shrink to one pin, and merges nets with the
 * same pins, adding their costs: one crawl's 4.97 M pins became 1.97 M that way. Pins mapped to -1 are left
 * out.
 */
export function contractNets(source: NetList, map: Int32Array, count: number): NetList {
  const merger = new NetMerger(source, map, count)
  for (let e = 0; e < source.netCount; e++) merger.take(e)
  return merger.finish()
}

/** The level whose vertices are the clusters of `map`; a cluster with a pinned member is pinned. */
export function contract(level: Level, map: Int32Array, count: number): Level {
  const r = level.constraintCount
  const weights = new Float64Array(count * r)
  const fixed = new Int32Array(count).fill(-1)
  for (let v = 0; v < level.vertexCount; v++) {
    const c = map[v]
    for (let i = 0; i < r; i++) weights[c * r + i] += level.weights[v * r + i]
    if (level.fixed[v] >= 0) fixed[c] = level.fixed[v]
  }
  return levelOf(contractNets(level, map, count), r, weights, fixed)
}

/** The part of a level for which `map` is not negative; nets keep the pins that stay (cut-net splitting). */
export function extract(level: Level, map: Int32Array, count: number, fixed: Int32Array): Level {
  const r = level.constraintCount
  const weights = new Float64Array(count * r)
  for (let v = 0; v < level.vertexCount; v++) {
    const c = map[v]
    if (c >= 0) for (let i = 0; i < r; i++) weights[c * r + i] = level.weights[v * r + i]
  }
  return levelOf(contractNets(level, map, count), r, weights, fixed)
}

function scramble(x: number): number {
  let h = Math.imul(x + 0x9e37, 0x85ebca6b)
  h ^= h >>> 13
  h = Math.imul(h, 0xc2b2ae35)
  return h ^ (h >>> 16)
}

/** Nets one by one: each is kept, or added to the cost of an earlier one with the same pins. */
class NetMerger {
  readonly #source: NetList
  readonly #map: Int32Array
  readonly #pins: Int32Array
  readonly #offsets: Int32Array
  readonly #costs: Float64Array
  /** The last net of the source that has a vertex. */
  readonly #seenIn: Int32Array
  /** Open addressing from the hash of a net's pins to the nets that have it. */
  readonly #slots: Int32Array
  readonly #hashes: Int32Array
  #used = 0
  #nets = 0

  constructor(source: NetList, map: Int32Array, count: number) {
    this.#source = source
    this.#map = map
    this.#pins = new Int32Array(source.pins.length)
    this.#offsets = new Int32Array(source.netCount + 1)
    this.#costs = new Float64Array(source.netCount)
    this.#seenIn = new Int32Array(count).fill(-1)
    let size = 16
    while (size < source.netCount * 2) size *= 2
    this.#slots = new Int32Array(size).fill(-1)
    this.#hashes = new Int32Array(source.netCount)
  }

  take(e: number): void {
    const { netOffsets, pins: given, netCosts } = this.#source
    const map = this.#map
    const seenIn = this.#seenIn
    const pins = this.#pins
    const start = this.#used
    const end = netOffsets[e + 1]
    let used = start
    let hash = 0
    for (let i = netOffsets[e]; i < end; i++) {
      const c = map[given[i]]
      if (c < 0 || seenIn[c] === e) continue
      seenIn[c] = e
      pins[used++] = c
      hash = (hash + scramble(c)) | 0
    }
    if (used - start < 2) return
    const net = this.#place(hash, e, used - start)
    this.#costs[net] += netCosts[e]
    if (net < this.#nets) return
    this.#nets++
    this.#used = used
    this.#offsets[net + 1] = used
  }

  finish(): NetList {
    return {
      netCount: this.#nets,
      netOffsets: this.#offsets.slice(0, this.#nets + 1),
      pins: this.#pins.slice(0, this.#used),
      netCosts: this.#costs.slice(0, this.#nets),
    }
  }

  /**
   * The earlier net with exactly the pins that `seenIn` marks with `mark`, or a new one, entered under the
   * hash.
   */
  #place(hash: number, mark: number, size: number): number {
    const slots = this.#slots
    const offsets = this.#offsets
    const pins = this.#pins
    const seenIn = this.#seenIn
    const mask = slots.length - 1
    let at = hash & mask
    for (; slots[at] >= 0; at = (at + 1) & mask) {
      const net = slots[at]
      const end = offsets[net + 1]
      if (this.#hashes[net] !== hash || end - offsets[net] !== size) continue
      let i = offsets[net]
      while (i < end && seenIn[pins[i]] === mark) i++
      if (i === end) return net
    }
    slots[at] = this.#nets
    this.#hashes[this.#nets] = hash
    return this.#nets
  }
}
