/**
 * hMETIS `.hgr`: a line `nets vertices [fmt]`, a line per net with the numbers of its vertices from 1, and
 * with fmt 10 or 11 a line per vertex with its weight. With fmt 1 or 11 a net's line begins with its cost.
 */
import { LIMITS } from '../../../model/index.js'
import type { Hypergraph } from '../state/index.js'
import { readBytes } from './input-file.js'
import { LineScanner } from './line-scanner.js'

interface Header {
  readonly netCount: number
  readonly vertexCount: number
  readonly hasCosts: boolean
  readonly hasWeights: boolean
}

/** A vertex that a net names twice counts once; the first one stays the net's source. */
export function readHmetis(file: string): Hypergraph {
  return parseHmetis(readBytes(file), file)
}

export function parseHmetis(bytes: Uint8Array, file: string): Hypergraph {
  const scanner = new LineScanner(bytes, file)
  const header = readHeader(scanner)
  const nets = readNets(scanner, header)
  const vertexWeights = readWeights(scanner, header)
  if (scanner.nextFilledLine())
    scanner.fail(
      `more lines than the header asks for: ${header.netCount} nets` +
        (header.hasWeights ? ` and ${header.vertexCount} vertex weights` : ''),
    )
  const { netCount, vertexCount } = header
  return { vertexCount, netCount, ...nets, constraintCount: 1, vertexWeights }
}

const FORMATS: readonly number[] = [0, 1, 10, 11]

function readHeader(scanner: LineScanner): Header {
  if (!scanner.nextFilledLine()) scanner.fail('the file is empty; a line "nets vertices [fmt]" comes first')
  const netCount = scanner.integer('the number of nets')
  const vertexCount = scanner.integer('the number of vertices')
  const format = scanner.hasMore() ? scanner.integer('fmt') : 0
  if (!FORMATS.includes(format)) scanner.fail(`fmt is ${format}; 0, 1, 10 and 11 are known`)
  if (scanner.hasMore()) scanner.fail('more than "nets vertices fmt" in the first line')
  if (vertexCount === 0) scanner.fail('there are no vertices')
  const hasWeights = format >= 10
  checkSize(scanner, netCount, 'nets', scanner.byteCount)
  checkSize(scanner, vertexCount, 'vertices', scanner.byteCount + (hasWeights ? 0 : LIMITS.isolatedVertices))
  return { netCount, vertexCount, hasCosts: format % 10 === 1, hasWeights }
}

/** A count that lies must not be paid for in memory. */
function checkSize(scanner: LineScanner, count: number, what: string, atMost: number): void {
  if (count > atMost)
    scanner.fail(`${count} ${what}, more than a file of ${scanner.byteCount} bytes can hold`)
}

type Nets = Pick<Hypergraph, 'netOffsets' | 'pins' | 'netCosts'>

function readNets(scanner: LineScanner, { netCount, vertexCount, hasCosts }: Header): Nets {
  const netOffsets = new Uint32Array(netCount + 1)
  const netCosts = new Float64Array(netCount).fill(1)
  const pins = new Uint32Array(scanner.countTokens())
  let pinCount = 0
  /** The last net that named a vertex, counted from 1. */
  const namedBy = new Uint32Array(vertexCount)
  for (let net = 0; net < netCount; net++) {
    if (!scanner.nextLine()) scanner.fail(`the file ends after ${net} of ${netCount} nets`)
    if (hasCosts && scanner.hasMore()) netCosts[net] = scanner.number('the cost of the net')
    const begin = pinCount
    let read = scanner.shortIntegers(pins, begin)
    while (scanner.hasMore()) pins[read++] = vertexOf(scanner, scanner.integer('a vertex'), vertexCount)
    for (let at = begin; at < read; at++) {
      const vertex = vertexOf(scanner, pins[at], vertexCount) - 1
      if (namedBy[vertex] === net + 1) continue
      namedBy[vertex] = net + 1
      pins[pinCount++] = vertex
    }
    if (pinCount === netOffsets[net]) failEmpty(scanner, net, netCount)
    netOffsets[net + 1] = pinCount
  }
  return { netOffsets, pins: pins.slice(0, pinCount), netCosts }
}

function vertexOf(scanner: LineScanner, vertex: number, vertexCount: number): number {
  if (vertex < 1 || vertex > vertexCount)
    scanner.fail(`vertex ${vertex} is out of range; they go from 1 to ${vertexCount}`)
  return vertex
}

/** Blank lines at the end of a file that is too short are no nets either; say what is really wrong. */
function failEmpty(scanner: LineScanner, net: number, netCount: number): never {
  const line = scanner.line
  if (scanner.hasMore() || scanner.nextFilledLine()) scanner.fail(`net ${net + 1} has no vertices`, line)
  return scanner.fail(
    `the file ends after ${net} of ${netCount} nets, or net ${net + 1} has no vertices`,
    line,
  )
}

function readWeights(scanner: LineScanner, { vertexCount, hasWeights }: Header): Float64Array {
  const weights = new Float64Array(vertexCount).fill(1)
  if (!hasWeights) return weights
  for (let vertex = 0; vertex < vertexCount; vertex++) {
    if (!scanner.nextFilledLine())
      scanner.fail(`the file ends after the weights of ${vertex} of ${vertexCount} vertices`)
    weights[vertex] = scanner.number('the weight of the vertex')
    if (scanner.hasMore()) scanner.fail('more than one weight; several belong into a file for --weights')
  }
  return weights
}
