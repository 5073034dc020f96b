/**
 * Files with a line per vertex: weights, fixed parts, groups, parts; the targets, with a line per part; the
 * affinity, with a line per wish. Empty lines and comments do not count.
 */

import { type Affinity, PartitionError } from '../state/index.js'
import { readBytes } from './input-file.js'
import { LineScanner } from './line-scanner.js'

export interface WeightColumns {
  readonly constraintCount: number
  /** weights[v * constraintCount + r] */
  readonly weights: Float64Array
}

/**
 * A line per vertex with its weights: one column per balance constraint, as many in each line as in the
 * first.
 */
export function readWeights(file: string, vertexCount: number): WeightColumns {
  const scanner = open(file)
  const values = new Float64Array(scanner.countTokens())
  let count = 0
  let constraintCount = 0
  forEachLine(scanner, vertexCount, 'vertices', vertex => {
    const before = count
    count = scanner.shortIntegers(values, count)
    while (scanner.hasMore()) values[count++] = scanner.number(`a weight of vertex ${vertex + 1}`)
    if (vertex === 0) constraintCount = count
    if (count - before !== constraintCount)
      scanner.fail(`vertex ${vertex + 1} has ${count - before} weights, the first has ${constraintCount}`)
  })
  return { constraintCount, weights: values.slice(0, count) }
}

/**
 * A line per vertex: the part it is pinned to, or -1. Vertices of one group cannot be pinned to different
 * parts.
 */
export function readFixed(file: string, vertexCount: number, k: number, groups?: Int32Array): Int32Array {
  const groupPart = new Map<number, number>()
  return readIntegers(file, vertexCount, 'a part', (scanner, part, vertex) => {
    partBelow(k)(scanner, part)
    const group = groups === undefined || part === -1 ? -1 : groups[vertex]
    if (group === -1) return
    const known = groupPart.get(group) ?? part
    if (known !== part) scanner.fail(`part ${part}, but group ${group} is already fixed to part ${known}`)
    groupPart.set(group, part)
  })
}

/** A line per vertex: the number of its group, or -1. Vertices of one group stay together. */
export function readGroups(file: string, vertexCount: number): Int32Array {
  return readIntegers(file, vertexCount, 'a group', (scanner, group) => {
    if (group > MAX_GROUP) scanner.fail(`group ${group} is out of range; they go up to ${MAX_GROUP}`)
  })
}

/** A line per vertex: its part from 0 to k - 1, as `orbweaver partition`, METIS and hMETIS write it. */
export function readParts(file: string, vertexCount: number, k: number): Int32Array {
  return readIntegers(file, vertexCount, 'a part', (scanner, part) => {
    if (part === -1) scanner.fail('a part is -1; every vertex has one')
    partBelow(k)(scanner, part)
  })
}

/**
 * A line per vertex: the part it had before, or -1 for a new one. The parts that have gone since are fine.
 */
export function readPrevious(file: string, vertexCount: number): Int32Array {
  return readIntegers(file, vertexCount, 'a part', (scanner, part) => {
    if (part > MAX_GROUP) scanner.fail(`part ${part} is out of range; they go up to ${MAX_GROUP}`)
  })
}

/** A line per part: its share of the weight, more than 0. They are scaled to a sum of 1. */
export function readTargets(file: string, k: number): number[] {
  const scanner = open(file)
  const shares: number[] = []
  forEachLine(scanner, k, 'parts', part => {
    const share = scanner.number(`the share of part ${part}`)
    if (share === 0) scanner.fail(`the share of part ${part} is 0; it must be more`)
    if (scanner.hasMore()) scanner.fail('more than one share in a line')
    shares.push(share)
  })
  const sum = shares.reduce((total, share) => total + share, 0)
  return shares.map(share => share / sum)
}

/** Lines `vertex part gain`, vertices from 1 as in the hypergraph and parts from 0 as in a part file. */
export function readAffinity(file: string, vertexCount: number, k: number): Affinity {
  const scanner = open(file)
  const most = Math.ceil(scanner.countTokens() / 3)
  const vertices = new Uint32Array(most)
  const parts = new Uint32Array(most)
  const gains = new Float64Array(most)
  let count = 0
  for (; scanner.nextFilledLine(); count++) {
    const vertex = scanner.integer('a vertex')
    if (vertex < 1 || vertex > vertexCount)
      scanner.fail(`vertex ${vertex} is out of range; they go from 1 to ${vertexCount}`)
    const part = scanner.integer('a part')
    partBelow(k)(scanner, part)
    vertices[count] = vertex - 1
    parts[count] = part
    gains[count] = scanner.signedNumber('a gain')
    if (scanner.hasMore()) scanner.fail('more than "vertex part gain" in a line')
  }
  return {
    vertices: vertices.slice(0, count),
    parts: parts.slice(0, count),
    gains: gains.slice(0, count),
  }
}

const MAX_GROUP = 2 ** 31 - 1

type CheckInteger = (scanner: LineScanner, value: number, vertex: number) => void

function partBelow(k: number): (scanner: LineScanner, part: number) => void {
  return (scanner, part) => {
    if (part >= k) scanner.fail(`part ${part} is out of range; they go from 0 to ${k - 1}`)
  }
}

function readIntegers(file: string, count: number, what: string, check: CheckInteger): Int32Array {
  const scanner = open(file)
  const values = new Int32Array(count)
  forEachLine(scanner, count, 'vertices', vertex => {
    const value = scanner.integerOrNone(what)
    check(scanner, value, vertex)
    if (scanner.hasMore()) scanner.fail('more than one number in a line')
    values[vertex] = value
  })
  return values
}

function open(file: string): LineScanner {
  return new LineScanner(readBytes(file), file)
}

/** Just as many lines as there are vertices (or parts). */
function forEachLine(
  scanner: LineScanner,
  count: number,
  what: string,
  visit: (index: number) => void,
): void {
  for (let index = 0; index < count; index++) {
    if (!scanner.nextFilledLine())
      throw new PartitionError(`${scanner.file}: ${index} lines for ${count} ${what}`)
    visit(index)
  }
  if (scanner.nextFilledLine()) scanner.fail(`more lines than the ${count} ${what}`)
}
