import type { Level } from '../state/index.js'

const MAX_PASSES = 8
const MAX_SWEEPS = 12
/** A sweep that moves less than one node in so many is the last: the next pass moves whole communities. */
const MIN_MOVED = 50

/** A weighted graph, each edge stored at both ends; `loops` is the weight inside each node. */
interface Graph {
  readonly size: number
  readonly offsets: Int32Array
  readonly ends: Int32Array
  readonly weights: Float64Array
  readonly loops: Float64Array
}

/**
 * Communities by modularity (Louvain) on the bipartite graph of vertices and nets. Clusters that stay inside
 * them keep the structure of the whole: the ratings alone see only neighbours.
 */
export function communities(level: Level): { labels: Int32Array; work: number } {
  let graph = bipartite(level)
  const labels = new Int32Array(graph.size)
  for (let v = 0; v < labels.length; v++) labels[v] = v
  let work = 0
  for (let pass = 0; pass < MAX_PASSES; pass++) {
    const { names, count, sweeps } = moveNodes(graph)
    work += sweeps * graph.ends.length
    for (let v = 0; v < labels.length; v++) labels[v] = names[labels[v]]
    if (count > graph.size * 0.98) break
    graph = merge(graph, names, count)
    work += graph.ends.length
  }
  return { labels: labels.slice(0, level.vertexCount), work }
}

function bipartite(level: Level): Graph {
  const { vertexCount, netCount, netOffsets, pins, netCosts, vertexOffsets, nets } = level
  const size = vertexCount + netCount
  const offsets = new Int32Array(size + 1)
  const ends = new Int32Array(2 * pins.length)
  const weights = new Float64Array(2 * pins.length)
  let at = 0
  for (let v = 0; v < vertexCount; v++) {
    for (let n = vertexOffsets[v]; n < vertexOffsets[v + 1]; n++) {
      ends[at] = vertexCount + nets[n]
      weights[at++] = netCosts[nets[n]] / (netOffsets[nets[n] + 1] - netOffsets[nets[n]])
    }
    offsets[v + 1] = at
  }
  for (let e = 0; e < netCount; e++) {
    for (let i = netOffsets[e]; i < netOffsets[e + 1]; i++) {
      ends[at] = pins[i]
      weights[at++] = netCosts[e] / (netOffsets[e + 1] - netOffsets[e])
    }
    offsets[vertexCount + e + 1] = at
  }
  return { size, offsets, ends, weights, loops: new Float64Array(size) }
}

/**
 * Each node to the neighbouring community that raises modularity most, until few want to move. Neighbours
 * tend to have numbers close together, so going by number reads memory that is already in the cache.
 */
function moveNodes(graph: Graph): { names: Int32Array; count: number; sweeps: number } {
  const { size, offsets, ends, weights, loops } = graph
  const home = new Int32Array(size)
  const volumes = new Float64Array(size)
  const volumeOf = new Float64Array(size)
  let total = 0
  for (let v = 0; v < size; v++) {
    home[v] = v
    let volume = loops[v]
    for (let i = offsets[v]; i < offsets[v + 1]; i++) volume += weights[i]
    volumes[v] = volume
    volumeOf[v] = volume
    total += volume
  }
  const shared = new Float64Array(size)
  const near = new Int32Array(size)
  let sweeps = 0
  for (let moves = size; sweeps < MAX_SWEEPS && moves * MIN_MOVED > size; sweeps++) {
    moves = 0
    for (let v = 0; v < size; v++) {
      const from = home[v]
      let count = 0
      for (let i = offsets[v]; i < offsets[v + 1]; i++) {
        const c = home[ends[i]]
        if (shared[c] === 0) near[count++] = c
        shared[c] += weights[i]
      }
      volumes[from] -= volumeOf[v]
      const pull = volumeOf[v] / total
      let best = from
      let most = shared[from] - volumes[from] * pull
      for (let i = 0; i < count; i++) {
        const c = near[i]
        const gain = shared[c] - volumes[c] * pull
        if (gain > most + 1e-12) {
          most = gain
          best = c
        }
      }
      for (let i = 0; i < count; i++) shared[near[i]] = 0
      volumes[best] += volumeOf[v]
      home[v] = best
      if (best !== from) moves++
    }
  }
  const ids = new Int32Array(size).fill(-1)
  let count = 0
  for (let v = 0; v < size; v++) {
    if (ids[home[v]] < 0) ids[home[v]] = count++
    home[v] = ids[home[v]]
  }
  return { names: home, count, sweeps }
}

function merge(graph: Graph, names: Int32Array, count: number): Graph {
  const { size, offsets, ends, weights, loops } = graph
  const starts = new Int32Array(count + 1)
  for (let v = 0; v < size; v++) starts[names[v] + 1]++
  for (let c = 0; c < count; c++) starts[c + 1] += starts[c]
  const members = new Int32Array(size)
  const next = starts.slice(0, count)
  for (let v = 0; v < size; v++) members[next[names[v]]++] = v
  const newOffsets = new Int32Array(count + 1)
  const newEnds = new Int32Array(ends.length)
  const newWeights = new Float64Array(ends.length)
  const newLoops = new Float64Array(count)
  const slot = new Int32Array(count).fill(-1)
  let at = 0
  for (let c = 0; c < count; c++) {
    const first = at
    for (let m = starts[c]; m < starts[c + 1]; m++) {
      const v = members[m]
      newLoops[c] += loops[v]
      for (let i = offsets[v]; i < offsets[v + 1]; i++) {
        const d = names[ends[i]]
        if (d === c) {
          newLoops[c] += weights[i]
          continue
        }
        if (slot[d] < first) {
          slot[d] = at
          newEnds[at] = d
          newWeights[at++] = 0
        }
        newWeights[slot[d]] += weights[i]
      }
    }
    newOffsets[c + 1] = at
  }
  return {
    size: count,
    offsets: newOffsets,
    ends: newEnds.slice(0, at),
    weights: newWeights.slice(0, at),
    loops: newLoops,
  }
}
