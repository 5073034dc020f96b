/** Adjacency lists -> 2-pin nets, once both ends of every edge have been seen to agree. */
import type { Hypergraph } from '../state/index.js'
import { inputError } from './input-file.js'
import type { AdjacencyLists } from './metis-graph.js'

type Nets = Pick<Hypergraph, 'netCount' | 'netOffsets' | 'pins' | 'netCosts'>
type Lists = Pick<AdjacencyLists, 'offsets' | 'neighbours' | 'costs'>

export function edgesToNets(given: AdjacencyLists, file: string): Nets {
  const lists = merged(given)
  // Turned once, each list has its neighbours in order; turned twice, it is the list itself, in order.
  const turned = transpose(lists)
  compare(transpose(turned), turned, given.lines, file)
  return toNets(turned)
}

/** Loops out, repeated neighbours in one with their costs added. */
function merged({ offsets, neighbours, costs }: Lists): Lists {
  const vertexCount = offsets.length - 1
  const newOffsets = new Uint32Array(vertexCount + 1)
  const newNeighbours = new Uint32Array(neighbours.length)
  const newCosts = new Float64Array(neighbours.length)
  /** Where a neighbour stands in the new list, plus 1; stale when it is before the list's begin. */
  const places = new Uint32Array(vertexCount)
  let length = 0
  for (let vertex = 0; vertex < vertexCount; vertex++) {
    const begin = length
    for (let at = offsets[vertex]; at < offsets[vertex + 1]; at++) {
      const neighbour = neighbours[at]
      if (neighbour === vertex) continue
      if (places[neighbour] > begin) {
        newCosts[places[neighbour] - 1] += costs[at]
        continue
      }
      newNeighbours[length] = neighbour
      newCosts[length] = costs[at]
      places[neighbour] = ++length
    }
    newOffsets[vertex + 1] = length
  }
  return { offsets: newOffsets, neighbours: newNeighbours.slice(0, length), costs: newCosts.slice(0, length) }
}

function transpose({ offsets, neighbours, costs }: Lists): Lists {
  const vertexCount = offsets.length - 1
  const turned = new Uint32Array(vertexCount + 1)
  for (const neighbour of neighbours) turned[neighbour + 1]++
  for (let vertex = 0; vertex < vertexCount; vertex++) turned[vertex + 1] += turned[vertex]
  const fill = turned.slice()
  const turnedNeighbours = new Uint32Array(neighbours.length)
  const turnedCosts = new Float64Array(neighbours.length)
  for (let vertex = 0; vertex < vertexCount; vertex++) {
    for (let at = offsets[vertex]; at < offsets[vertex + 1]; at++) {
      const to = fill[neighbours[at]]++
      turnedNeighbours[to] = vertex
      turnedCosts[to] = costs[at]
    }
  }
  return { offsets: turned, neighbours: turnedNeighbours, costs: turnedCosts }
}

/** `own` is what each line says, `others` what the other lines say about it, both in order. */
function compare(own: Lists, others: Lists, lines: Uint32Array, file: string): void {
  const failOneSided = (from: number, to: number): never => {
    const complaint = `vertex ${from + 1} lists ${to + 1}, but ${to + 1} does not list ${from + 1}`
    throw inputError(file, lines[from], complaint)
  }
  let mine = 0
  let theirs = 0
  for (let vertex = 0; vertex < own.offsets.length - 1; vertex++) {
    const myEnd = own.offsets[vertex + 1]
    const theirEnd = others.offsets[vertex + 1]
    for (; mine < myEnd || theirs < theirEnd; mine++, theirs++) {
      const to = mine < myEnd ? own.neighbours[mine] : Number.POSITIVE_INFINITY
      const from = theirs < theirEnd ? others.neighbours[theirs] : Number.POSITIVE_INFINITY
      if (to < from) failOneSided(vertex, to)
      if (from < to) failOneSided(from, vertex)
      if (own.costs[mine] !== others.costs[theirs]) {
        const weights = `${own.costs[mine]} here, but ${others.costs[theirs]} in line ${lines[to]}`
        throw inputError(file, lines[vertex], `the edge from ${vertex + 1} to ${to + 1} weighs ${weights}`)
      }
    }
  }
}

function toNets({ offsets, neighbours, costs }: Lists): Nets {
  const netCount = neighbours.length / 2
  const netOffsets = Uint32Array.from({ length: netCount + 1 }, (_, net) => 2 * net)
  const pins = new Uint32Array(2 * netCount)
  const netCosts = new Float64Array(netCount)
  let net = 0
  for (let vertex = 0; vertex < offsets.length - 1; vertex++) {
    for (let at = offsets[vertex]; at < offsets[vertex + 1]; at++) {
      if (neighbours[at] < vertex) continue
      pins[2 * net] = vertex
      pins[2 * net + 1] = neighbours[at]
      netCosts[net++] = costs[at]
    }
  }
  return { netCount, netOffsets, pins, netCosts }
}
