import { type Level, levelOf, type NetList } from './level.js'

/** Nets as `contract` reads them: those of a level, or those of a request before the first level exists. */
export interface NetSource {
  readonly netCount: number
  readonly netOffsets: Int32Array | Uint32Array
  readonly pins: Int32Array | Uint32Array
  readonly netCosts: Float64Array
}

/**
 * Renames the pins by `map`, drops repeated pins and nets that shrink to one pin, and merges nets with the same
 * pins, adding their costs: one crawl's 4.97 M pins became 1.97 M that way. Pins mapped to -1 are left out.
 */
export function contractNets(source: NetSource, map: Int32Array, count: number): NetList {
  const pins = new Int32Array(source.pins.length)
  const offsets = new Int32Array(source.netCount + 1)
  const costs = new Float64Array(source.netCount)
  const table = new NetTable(source.netCount)
  const seenIn = new Int32Array(count).fill(-1)
  let used = 0
  let nets = 0
  for (let e = 0; e < source.netCount; e++) {
    const start = used
    let hash = 0
    for (let i = source.netOffsets[e]; i < source.netOffsets[e + 1]; i++) {
      const c = map[source.pins[i]]
      if (c < 0 || seenIn[c] === e) continue
      seenIn[c] = e
      pins[used++] = c
      hash = (hash + scramble(c)) | 0
    }
    if (used - start < 2) {
      used = start
      continue
    }
    const twin = table.twinOf(hash, e, used - start, offsets, pins, seenIn)
    if (twin >= 0) {
      costs[twin] += source.netCosts[e]
      used = start
      continue
    }
    table.add(hash, nets)
    costs[nets++] = source.netCosts[e]
    offsets[nets] = used
  }
  return {
    count: nets,
    offsets: offsets.slice(0, nets + 1),
    pins: pins.slice(0, used),
    costs: costs.slice(0, nets),
  }
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
  return levelOf(contractNets(level, map, count), count, r, weights, fixed)
}

/** The part of a level for which `map` is not negative; nets keep the pins that stay (cut-net splitting). */
export function extract(level: Level, map: Int32Array, count: number, fixed: Int32Array): Level {
  const r = level.constraintCount
  const weights = new Float64Array(count * r)
  for (let v = 0; v < level.vertexCount; v++) {
    const c = map[v]
    if (c >= 0) for (let i = 0; i < r; i++) weights[c * r + i] = level.weights[v * r + i]
  }
  return levelOf(contractNets(level, map, count), count, r, weights, fixed)
}

function scramble(x: number): number {
  let h = Math.imul(x + 0x9e37, 0x85ebca6b)
  h ^= h >>> 13
  h = Math.imul(h, 0xc2b2ae35)
  return h ^ (h >>> 16)
}

/** Open addressing from the hash of a net's pins to the nets that have it. */
class NetTable {
  readonly #slots: Int32Array
  readonly #hashes: Int32Array
  readonly #mask: number

  constructor(netCount: number) {
    let size = 16
    while (size < netCount * 2) size *= 2
    this.#slots = new Int32Array(size).fill(-1)
    this.#hashes = new Int32Array(netCount)
    this.#mask = size - 1
  }

  /** The earlier net with exactly the pins that `seenIn` marks with `mark`, or -1. */
  twinOf(
    hash: number,
    mark: number,
    size: number,
    offsets: Int32Array,
    pins: Int32Array,
    seenIn: Int32Array,
  ): number {
    const slots = this.#slots
    for (let at = hash & this.#mask; slots[at] >= 0; at = (at + 1) & this.#mask) {
      const net = slots[at]
      if (this.#hashes[net] !== hash || offsets[net + 1] - offsets[net] !== size) continue
      let i = offsets[net]
      while (i < offsets[net + 1] && seenIn[pins[i]] === mark) i++
      if (i === offsets[net + 1]) return net
    }
    return -1
  }

  add(hash: number, net: number): void {
    let at = hash & this.#mask
    while (this.#slots[at] >= 0) at = (at + 1) & this.#mask
    this.#slots[at] = net
    this.#hashes[net] = hash
  }
}
