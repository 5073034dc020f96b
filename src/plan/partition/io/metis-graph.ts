/**
 * METIS `.graph`: a line `vertices edges [fmt [ncon]]`, then a line per vertex: its size (fmt 1xx; read and
 * not used), its ncon weights (fmt x1x), then its neighbours from 1, each followed by the weight of the edge
 * (fmt xx1). An empty line is a vertex without edges. Each edge stands on both its lines. As gpmetis does, a
 * loop is left out and an edge that is listed twice counts with the sum of its weights.
 */
import type { Hypergraph } from '../state/index.js'
import { edgesToNets } from './edges-to-nets.js'
import { readBytes } from './input-file.js'
import { LineScanner } from './line-scanner.js'

interface Header {
  readonly vertexCount: number
  readonly edgeCount: number
  readonly hasSizes: boolean
  readonly hasWeights: boolean
  readonly hasCosts: boolean
  readonly constraintCount: number
}

/** What the lines say, before anyone has looked whether both ends of an edge agree. */
export interface AdjacencyLists {
  readonly offsets: Uint32Array
  readonly neighbours: Uint32Array
  readonly costs: Float64Array
  /** Where each vertex stands in the file. */
  readonly lines: Uint32Array
}

/** The graph as a hypergraph of 2-pin nets. */
export function readMetisGraph(file: string): Hypergraph {
  return parseMetisGraph(readBytes(file), file)
}

export function parseMetisGraph(bytes: Uint8Array, file: string): Hypergraph {
  const scanner = new LineScanner(bytes, file)
  const header = readHeader(scanner)
  const vertexWeights = new Float64Array(header.vertexCount * header.constraintCount).fill(1)
  const headerLine = scanner.line
  const lists = readLists(scanner, header, vertexWeights)
  if (scanner.nextFilledLine())
    scanner.fail(`more lines than the ${header.vertexCount} vertices of the header`)
  const listed = lists.neighbours.length
  if (listed !== 2 * header.edgeCount)
    scanner.fail(
      `the header says ${header.edgeCount} edges, the lines list ${listed / 2} (each edge stands on both its lines)`,
      headerLine,
    )
  const nets = edgesToNets(lists, file)
  const { vertexCount, constraintCount } = header
  return { vertexCount, ...nets, constraintCount, vertexWeights }
}

function readHeader(scanner: LineScanner): Header {
  if (!scanner.nextFilledLine()) scanner.fail('the file is empty; "vertices edges [fmt [ncon]]" comes first')
  const vertexCount = scanner.integer('the number of vertices')
  const edgeCount = scanner.integer('the number of edges')
  const format = scanner.hasMore() ? scanner.integer('fmt') : 0
  const ncon = scanner.hasMore() ? scanner.integer('ncon') : undefined
  if (scanner.hasMore()) scanner.fail('more than "vertices edges fmt ncon" in the first line')
  if (!/^[01]{1,3}$/.test(String(format)))
    scanner.fail(`fmt is ${format}; it has up to three digits, each 0 or 1`)
  const hasWeights = Math.floor(format / 10) % 10 === 1
  if (vertexCount === 0) scanner.fail('there are no vertices')
  if (ncon === 0) scanner.fail('ncon is 0; a vertex has at least one weight')
  if (ncon !== undefined && ncon > 1 && !hasWeights)
    scanner.fail(`ncon is ${ncon}, but fmt ${format} says that vertices have no weights`)
  const constraintCount = ncon ?? 1
  checkSize(scanner, vertexCount, 'vertices')
  checkSize(scanner, edgeCount, 'edges')
  checkSize(scanner, vertexCount * constraintCount, 'vertex weights')
  const hasCosts = format % 10 === 1
  return { vertexCount, edgeCount, hasSizes: format >= 100, hasWeights, hasCosts, constraintCount }
}

/** Each of them takes a byte at least: a count that lies must not be paid for in memory. */
function checkSize(scanner: LineScanner, count: number, what: string): void {
  const room = scanner.byteCount
  if (count > room) scanner.fail(`${count} ${what}, more than a file of ${room} bytes can hold`)
}

function readLists(scanner: LineScanner, header: Header, vertexWeights: Float64Array): AdjacencyLists {
  const { vertexCount, hasCosts } = header
  const tokens = scanner.countTokens()
  const offsets = new Uint32Array(vertexCount + 1)
  const lines = new Uint32Array(vertexCount)
  const neighbours = new Uint32Array(tokens)
  const costs = new Float64Array(tokens).fill(1)
  let listed = 0
  for (let vertex = 0; vertex < vertexCount; vertex++) {
    goToVertex(scanner, vertex, vertexCount)
    lines[vertex] = scanner.line
    readOwn(scanner, header, vertex, vertexWeights)
    while (scanner.hasMore()) {
      const neighbour = scanner.integer('a neighbour')
      if (neighbour < 1 || neighbour > vertexCount)
        scanner.fail(`neighbour ${neighbour} is out of range; vertices go from 1 to ${vertexCount}`)
      neighbours[listed] = neighbour - 1
      if (hasCosts) costs[listed] = scanner.number('the weight of an edge')
      listed++
    }
    offsets[vertex + 1] = listed
  }
  return { offsets, lines, neighbours: neighbours.slice(0, listed), costs: costs.slice(0, listed) }
}

/** The last line may be an empty one without a newline, of which nothing is left to see. */
function goToVertex(scanner: LineScanner, vertex: number, vertexCount: number): void {
  if (scanner.nextLine() || (vertex === vertexCount - 1 && scanner.endsWithNewline)) return
  scanner.fail(`the file ends after ${vertex} of ${vertexCount} vertices`)
}

/**
 * What stands before the neighbours: the size, which only METIS's communication volume uses, and the weights.
 */
function readOwn(scanner: LineScanner, header: Header, vertex: number, vertexWeights: Float64Array): void {
  if (header.hasSizes) scanner.number(`the size of vertex ${vertex + 1}`)
  if (!header.hasWeights) return
  const { constraintCount } = header
  for (let r = 0; r < constraintCount; r++)
    vertexWeights[vertex * constraintCount + r] = scanner.number(`weight ${r + 1} of vertex ${vertex + 1}`)
}
