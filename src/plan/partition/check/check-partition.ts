/**
 * What a partition is worth, recomputed from the files with the plainest code there is. It shares nothing
 * with the partitioner, so that the two can be held against each other.
 */
import { ConfigError } from '../../../config/index.js'
import { type PlainHypergraph, readColumn, readPlainHypergraph, readRows } from './plain-files.js'

export interface CheckRequest {
  readonly file: string
  readonly partFile: string
  readonly k: number
  readonly weights?: string
  readonly targets?: string
  readonly fixed?: string
  readonly groups?: string
  readonly previous?: string
  readonly affinity?: string
}

export interface Checked {
  readonly k: number
  /** Sum over nets of cost * (parts touched - 1). */
  readonly km1: number
  /** Costs of the nets that touch more than one part. */
  readonly cut: number
  /** Per constraint: heaviest part over its share, minus 1. */
  readonly imbalance: readonly number[]
  /** Per constraint: what one vertex, one group or the pinned vertices of one part force. */
  readonly imbalanceBound: readonly number[]
  /** Distinct pairs of a net's first vertex and a part other than that vertex's own. */
  readonly coalescedMessages: number
  /** Sum of the gains of the affinity lines whose vertex is in their part. */
  readonly affinity: number
  /** Vertices that left their previous part. */
  readonly moved: number
  /** Their weight, per constraint. */
  readonly movedWeight: readonly number[]
  readonly emptyParts: number
}

/** Throws a ConfigError where a file cannot be understood, a pinned vertex has moved or a group is split. */
export function checkPartition(request: CheckRequest): Checked {
  const { file, k } = request
  const parts = readColumn(request.partFile, undefined, 0, k)
  const vertexCount = parts.length
  const plain = readPlainHypergraph(file, vertexCount)
  const weights = request.weights === undefined ? plain.weights : readRows(request.weights, vertexCount)
  const shares = sharesOf(request.targets, k)
  const fixed = optionalColumn(request.fixed, vertexCount, k)
  const groups = optionalColumn(request.groups, vertexCount, Number.POSITIVE_INFINITY)
  const previous = optionalColumn(request.previous, vertexCount, Number.POSITIVE_INFINITY)
  checkFixed(request.partFile, parts, fixed)
  checkGroups(request.partFile, parts, groups)
  const movers = [...parts.keys()].filter(v => previous[v] !== -1 && previous[v] !== parts[v])
  return {
    k,
    ...objectives(plain, parts),
    imbalance: imbalanceOf(weights, parts, shares),
    imbalanceBound: boundOf(weights, shares, fixed, groups),
    affinity: affinityOf(request.affinity, parts, k),
    moved: movers.length,
    movedWeight: columnsOf(weights).map(column => sum(movers.map(v => column[v]))),
    emptyParts: k - new Set(parts).size,
  }
}

function objectives(
  { nets, costs }: PlainHypergraph,
  parts: readonly number[],
): Pick<Checked, 'km1' | 'cut' | 'coalescedMessages'> {
  let km1 = 0
  let cut = 0
  const messages = new Set<string>()
  nets.forEach((net, index) => {
    const touched = new Set(net.map(vertex => parts[vertex]))
    km1 += costs[index] * (touched.size - 1)
    if (touched.size > 1) cut += costs[index]
    const source = net[0]
    for (const part of touched) if (part !== parts[source]) messages.add(`${source} ${part}`)
  })
  return { km1, cut, coalescedMessages: messages.size }
}

type Rows = readonly (readonly number[])[]

function imbalanceOf(weights: Rows, parts: readonly number[], shares: readonly number[]): number[] {
  return columnsOf(weights).map(column => {
    const load = shares.map(() => 0)
    parts.forEach((part, vertex) => {
      load[part] += column[vertex]
    })
    return excess(largestOf(load.map((value, part) => value / shares[part])), sum(column))
  })
}

/**
 * A group or a lone vertex is in one part, at best the largest; pinned ones are where they are; many must
 * share.
 */
function boundOf(
  weights: Rows,
  shares: readonly number[],
  fixed: readonly number[],
  groups: readonly number[],
): number[] {
  const largest = largestOf(shares)
  return columnsOf(weights).map(column => {
    const unitLoad = new Map<string, number>()
    const unitPart = new Map<string, number>()
    column.forEach((weight, vertex) => {
      const unit = groups[vertex] === -1 ? `vertex ${vertex}` : `group ${groups[vertex]}`
      unitLoad.set(unit, (unitLoad.get(unit) ?? 0) + weight)
      if (fixed[vertex] !== -1) unitPart.set(unit, fixed[vertex])
    })
    const pinned = shares.map(() => 0)
    let worst = crowdOf([...unitLoad.values()], shares.length) / largest
    for (const [unit, load] of unitLoad) {
      const part = unitPart.get(unit)
      if (part === undefined) worst = Math.max(worst, load / largest)
      else pinned[part] += load
    }
    for (let part = 0; part < shares.length; part++) worst = Math.max(worst, pinned[part] / shares[part])
    return Math.max(0, excess(worst, sum(column)))
  })
}

/**
 * More than j times as many as there are parts: j + 1 of them are in the same part, none lighter than the
 * last.
 */
function crowdOf(loads: number[], k: number): number {
  const falling = loads.sort((a, b) => b - a)
  const before = [0]
  for (const load of falling) before.push(before[before.length - 1] + load)
  const crowds = falling.map((_, last) => {
    const others = Math.floor(last / k)
    return last % k === 0 && last > 0 ? before[last + 1] - before[last - others] : 0
  })
  return largestOf(crowds)
}

/** How far above an even load; where nothing weighs anything there is nothing to balance. */
function excess(load: number, total: number): number {
  return total === 0 ? 0 : load / total - 1
}

function checkFixed(file: string, parts: readonly number[], fixed: readonly number[]): void {
  const vertex = parts.findIndex((part, v) => fixed[v] !== -1 && fixed[v] !== part)
  if (vertex === -1) return
  const text = `vertex ${vertex + 1} is in part ${parts[vertex]} but pinned to ${fixed[vertex]}`
  throw new ConfigError(`${file}: ${text}`)
}

function checkGroups(file: string, parts: readonly number[], groups: readonly number[]): void {
  const partOf = new Map<number, number>()
  parts.forEach((part, vertex) => {
    const group = groups[vertex]
    if (group === -1) return
    if ((partOf.get(group) ?? part) !== part)
      throw new ConfigError(`${file}: group ${group} is split between part ${partOf.get(group)} and ${part}`)
    partOf.set(group, part)
  })
}

function affinityOf(file: string | undefined, parts: readonly number[], k: number): number {
  const lines = file === undefined ? [] : readRows(file, undefined, 3)
  for (const [vertex, part] of lines)
    if (parts[vertex - 1] === undefined || !Number.isInteger(part) || part < 0 || part >= k)
      throw new ConfigError(`${file}: there is no vertex ${vertex} or no part ${part}`)
  return sum(lines.map(([vertex, part, gain]) => (parts[vertex - 1] === part ? gain : 0)))
}

function sharesOf(file: string | undefined, k: number): number[] {
  if (file === undefined) return new Array<number>(k).fill(1 / k)
  const given = readRows(file, k, 1).map(row => row[0])
  return given.map(share => share / sum(given))
}

function optionalColumn(file: string | undefined, count: number, below: number): readonly number[] {
  return file === undefined ? new Array<number>(count).fill(-1) : readColumn(file, count, -1, below)
}

function columnsOf(rows: Rows): number[][] {
  return (rows[0] ?? []).map((_, column) => rows.map(row => row[column]))
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

function largestOf(values: readonly number[]): number {
  return values.reduce((largest, value) => Math.max(largest, value), 0)
}
