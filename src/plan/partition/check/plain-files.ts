/** The checker's own readers: a line at a time, arrays of numbers, nothing clever. */
import { readFileSync } from 'node:fs'
import { ConfigError } from '../../../config/index.js'

export interface PlainHypergraph {
  /** Vertices of each net, from 0, in the order of the file. */
  readonly nets: readonly (readonly number[])[]
  readonly costs: readonly number[]
  /** Weights of each vertex. */
  readonly weights: readonly (readonly number[])[]
}

/** `partCount` is how many vertices have a part: what the file says about itself is not believed. */
export function readPlainHypergraph(file: string, partCount: number): PlainHypergraph {
  return file.toLowerCase().endsWith('.graph') ? readGraph(file, partCount) : readHgr(file, partCount)
}

/** The numbers of each line that has some. */
export function readRows(file: string, count: number | undefined, columns?: number): number[][] {
  const rows = [...dataLines(file, false)]
  if (rows.length !== (count ?? rows.length))
    throw complaint(file, `${rows.length} lines, ${count} are wanted`)
  const width = columns ?? rows[0]?.numbers.length
  for (const { line, numbers } of rows)
    if (numbers.length !== width)
      throw complaint(file, `${numbers.length} numbers, ${width} are wanted`, line)
  return rows.map(row => row.numbers)
}

/** One whole number per line, within bounds. */
export function readColumn(file: string, count: number | undefined, least: number, below: number): number[] {
  const column = readRows(file, count, 1).map(row => row[0])
  column.forEach((value, index) => {
    if (!Number.isInteger(value) || value < least || value >= below)
      throw complaint(
        file,
        `entry ${index + 1} is ${value}, not a whole number from ${least} to ${below - 1}`,
      )
  })
  return column
}

interface DataLine {
  readonly line: number
  readonly numbers: number[]
}

/** Lines without their comments. A line that was only a comment is no line; an empty one is, if wanted. */
function* dataLines(file: string, keepsEmpty: boolean): Generator<DataLine> {
  const lines = read(file).split('\n')
  if (lines.at(-1) === '') lines.pop()
  for (let index = 0; index < lines.length; index++) {
    const [data, comment] = splitOnce(lines[index])
    const words = data.split(/\s+/).filter(word => word !== '')
    if (words.length === 0 && (comment || !keepsEmpty)) continue
    const numbers = words.map(Number)
    const bad = numbers.findIndex(value => !Number.isFinite(value))
    if (bad !== -1) throw complaint(file, `${JSON.stringify(words[bad])} is not a number`, index + 1)
    yield { line: index + 1, numbers }
  }
}

function splitOnce(line: string): [data: string, hasComment: boolean] {
  const at = line.indexOf('%')
  return at === -1 ? [line, false] : [line.slice(0, at), true]
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8').replace(/^\uFEFF/, '')
  } catch (error) {
    throw complaint(file, `cannot be read: ${(error as Error).message}`)
  }
}

function readHgr(file: string, partCount: number): PlainHypergraph {
  const rows = [...dataLines(file, false)]
  const [netCount, vertexCount, format = 0] = rows[0]?.numbers ?? []
  checkCount(file, vertexCount, partCount)
  const weighted = format >= 10
  if (rows.length !== 1 + netCount + (weighted ? vertexCount : 0))
    throw complaint(file, `${rows.length} lines do not fit its first line`)
  const nets: number[][] = []
  const costs: number[] = []
  for (const { line, numbers } of rows.slice(1, 1 + netCount)) {
    const costed = format % 10 === 1
    costs.push(costed ? numbers[0] : 1)
    nets.push(verticesOf(costed ? numbers.slice(1) : numbers, vertexCount, file, line))
  }
  const weights = weighted
    ? rows.slice(1 + netCount).map(row => row.numbers)
    : Array.from({ length: vertexCount }, () => [1])
  return { nets, costs, weights }
}

/** Each edge is taken from the line of its smaller end. */
function readGraph(file: string, partCount: number): PlainHypergraph {
  const lines = dataLines(file, true)
  let first = lines.next().value
  while (first?.numbers.length === 0) first = lines.next().value
  const [vertexCount, , format = 0, ncon = 1] = (first as DataLine | undefined)?.numbers ?? []
  checkCount(file, vertexCount, partCount)
  const hasSizes = format >= 100
  const weightCount = format % 100 >= 10 ? ncon : 0
  const step = format % 10 === 1 ? 2 : 1
  const rows = [...lines].slice(0, vertexCount)
  while (rows.length < vertexCount) rows.push({ line: 0, numbers: [] })
  const nets: number[][] = []
  const costs: number[] = []
  const weights: number[][] = []
  rows.forEach(({ line, numbers }, vertex) => {
    const begin = hasSizes ? 1 : 0
    weights.push(weightCount === 0 ? new Array(ncon).fill(1) : numbers.slice(begin, begin + weightCount))
    const rest = numbers.slice(begin + weightCount)
    for (let at = 0; at < rest.length; at += step) {
      const [other] = verticesOf([rest[at]], vertexCount, file, line)
      if (other <= vertex) continue
      nets.push([vertex, other])
      costs.push(step === 2 ? rest[at + 1] : 1)
    }
  })
  return { nets, costs, weights }
}

function checkCount(file: string, vertexCount: number | undefined, partCount: number): void {
  if (vertexCount !== partCount)
    throw complaint(file, `its first line says ${vertexCount ?? 'no'} vertices, but ${partCount} have a part`)
}

function verticesOf(numbers: readonly number[], vertexCount: number, file: string, line: number): number[] {
  for (const number of numbers)
    if (!Number.isInteger(number) || number < 1 || number > vertexCount)
      throw complaint(file, `vertex ${number} is out of range; they go from 1 to ${vertexCount}`, line)
  return numbers.map(number => number - 1)
}

function complaint(file: string, text: string, line?: number): ConfigError {
  return new ConfigError(line === undefined ? `${file}: ${text}` : `${file}, line ${line}: ${text}`)
}
