import { contractNets } from './coarsen/index.js'
import {
  type Hypergraph,
  type Level,
  levelOf,
  type NetList,
  PartitionError,
  type PartitionRequest,
} from './state/index.js'

/**
 * A request made simple. Vertices of one group are one unit, all vertices fixed to a part are one pinned
 * unit, and whatever pulls a vertex towards a part (affinity, the previous partition) is a 2-pin net to that
 * part's pinned unit.
 */
export interface Intake {
  readonly level: Level
  readonly unitOf: Int32Array
  /** The part a unit had before, -1 when it had none or that part has gone. */
  readonly preferred: Int32Array | null
  readonly epsilons: readonly number[]
}

export function takeIn(request: PartitionRequest): Intake {
  const { hypergraph, k } = request
  const columns = columnsOf(hypergraph, request.epsilons)
  const pulls = pullsOf(request)
  const { map, count, fixed } = unitsOf(request, pulls !== null)
  const nets = contractNets(pulls === null ? netsOf(hypergraph) : withPulls(hypergraph, pulls), map, count)
  const r = columns.length
  const weights = new Float64Array(count * r)
  for (let v = 0; v < hypergraph.vertexCount; v++)
    for (let i = 0; i < r; i++) weights[map[v] * r + i] += columns[i].weight(v)
  const unitOf = map.slice(0, hypergraph.vertexCount)
  return {
    level: levelOf(nets, r, weights, fixed),
    unitOf,
    preferred:
      request.previous === undefined ? null : preferredOf(request.previous, k, unitOf, weights, r, count),
    epsilons: columns.map(column => column.epsilon),
  }
}

interface Column {
  readonly epsilon: number
  readonly weight: (vertex: number) => number
}

/** The constraints that say something: not those without weight, and of equal ones only the strictest. */
function columnsOf(hypergraph: Hypergraph, epsilons: readonly number[]): Column[] {
  const { vertexCount, constraintCount: r, vertexWeights } = hypergraph
  const kept: number[] = []
  const same = (a: number, b: number) => {
    for (let v = 0; v < vertexCount; v++)
      if (vertexWeights[v * r + a] !== vertexWeights[v * r + b]) return false
    return true
  }
  const strict = [...epsilons]
  for (let i = 0; i < r; i++) {
    let weighs = false
    for (let v = 0; v < vertexCount && !weighs; v++) weighs = vertexWeights[v * r + i] > 0
    if (!weighs) continue
    const twin = kept.find(j => same(i, j))
    if (twin === undefined) kept.push(i)
    else strict[twin] = Math.min(strict[twin], epsilons[i])
  }
  if (kept.length === 0) return [{ epsilon: epsilons[0] ?? 0, weight: () => 1 }]
  return kept.map(i => ({ epsilon: strict[i], weight: v => vertexWeights[v * r + i] }))
}

/**
 * Numbers the units: first a pinned one for each part that needs it, then the rest in the order of the
 * vertices.
 */
function unitsOf(
  request: PartitionRequest,
  needsPins: boolean,
): { map: Int32Array; count: number; fixed: Int32Array } {
  const { hypergraph, k, groups, fixed } = request
  const n = hypergraph.vertexCount
  const groupPart = new Map<number, number>()
  const partOf = (v: number) => {
    if (fixed !== undefined && fixed[v] >= 0) return fixed[v]
    return groups !== undefined && groups[v] >= 0 ? (groupPart.get(groups[v]) ?? -1) : -1
  }
  for (let v = 0; v < n; v++) {
    if (fixed === undefined || groups === undefined || fixed[v] < 0 || groups[v] < 0) continue
    const known = groupPart.get(groups[v])
    if (known !== undefined && known !== fixed[v])
      throw new PartitionError(`group ${groups[v]} has vertices fixed to parts ${known} and ${fixed[v]}`)
    groupPart.set(groups[v], fixed[v])
  }
  const map = new Int32Array(n + k).fill(-1)
  const parts: number[] = []
  const pinnedUnit = new Int32Array(k).fill(-1)
  for (let v = 0; v < n; v++) {
    const p = partOf(v)
    if (p >= 0 && pinnedUnit[p] < 0) pinnedUnit[p] = parts.push(p) - 1
  }
  if (needsPins) for (let p = 0; p < k; p++) if (pinnedUnit[p] < 0) pinnedUnit[p] = parts.push(p) - 1
  for (let p = 0; p < k; p++) map[n + p] = pinnedUnit[p]
  const groupUnit = new Map<number, number>()
  let count = parts.length
  for (let v = 0; v < n; v++) {
    const p = partOf(v)
    const group = groups === undefined ? -1 : groups[v]
    if (p >= 0) map[v] = pinnedUnit[p]
    else if (group < 0) map[v] = count++
    else {
      const unit = groupUnit.get(group) ?? count++
      groupUnit.set(group, unit)
      map[v] = unit
    }
  }
  const pinned = new Int32Array(count).fill(-1)
  for (let unit = 0; unit < parts.length; unit++) pinned[unit] = parts[unit]
  return { map, count, fixed: pinned }
}

interface Pulls {
  readonly vertices: number[]
  readonly parts: number[]
  readonly costs: number[]
}

/** Affinity and migration as pulls of vertices towards parts; null when nothing pulls. */
function pullsOf(request: PartitionRequest): Pulls | null {
  const { hypergraph, k, affinity, previous } = request
  if (affinity === undefined && previous === undefined) return null
  const pulls: Pulls = { vertices: [], parts: [], costs: [] }
  const add = (vertex: number, part: number, cost: number) => {
    if (cost <= 0) return
    pulls.vertices.push(vertex)
    pulls.parts.push(part)
    pulls.costs.push(cost)
  }
  for (let i = 0; affinity !== undefined && i < affinity.vertices.length; i++) {
    const gain = affinity.gains[i]
    // A dislike of one part is a liking for all others.
    if (gain >= 0) add(affinity.vertices[i], affinity.parts[i], gain)
    else for (let p = 0; p < k; p++) if (p !== affinity.parts[i]) add(affinity.vertices[i], p, -gain)
  }
  if (previous !== undefined) {
    const r = hypergraph.constraintCount
    const constraint = request.migrationConstraint ?? r - 1
    const weight = request.migrationWeight ?? defaultMigrationWeight(hypergraph, constraint)
    for (let v = 0; v < hypergraph.vertexCount; v++)
      if (previous[v] >= 0 && previous[v] < k)
        add(v, previous[v], weight * hypergraph.vertexWeights[v * r + constraint])
  }
  return pulls
}

/**
 * Moving everything costs a tenth of cutting every net once: on our crawls about 6 % of the pages move for a
 * 17th part.
 */
function defaultMigrationWeight(hypergraph: Hypergraph, constraint: number): number {
  const r = hypergraph.constraintCount
  let weight = 0
  let cost = 0
  for (let v = 0; v < hypergraph.vertexCount; v++) weight += hypergraph.vertexWeights[v * r + constraint]
  for (let e = 0; e < hypergraph.netCount; e++) cost += hypergraph.netCosts[e]
  return weight > 0 ? (0.1 * cost) / weight : 0
}

/**
 * The same arrays as those of levels, so that one compiled loop serves both: no number in them reaches 2^31.
 */
export function netsOf({ netCount, netOffsets, pins, netCosts }: Hypergraph): NetList {
  return { netCount, netOffsets: asSigned(netOffsets), pins: asSigned(pins), netCosts }
}

function asSigned(array: Uint32Array): Int32Array {
  return new Int32Array(array.buffer as ArrayBuffer, array.byteOffset, array.length)
}

/** The nets of the hypergraph and one per pull, in which vertexCount + p stands for part p. */
function withPulls(hypergraph: Hypergraph, pulls: Pulls): NetList {
  const { vertexCount, netCount } = hypergraph
  const extra = pulls.vertices.length
  const pinCount = hypergraph.netOffsets[netCount]
  const netOffsets = new Int32Array(netCount + extra + 1)
  const pins = new Int32Array(pinCount + 2 * extra)
  const netCosts = new Float64Array(netCount + extra)
  netOffsets.set(hypergraph.netOffsets)
  pins.set(hypergraph.pins)
  netCosts.set(hypergraph.netCosts)
  for (let i = 0; i < extra; i++) {
    pins[pinCount + 2 * i] = pulls.vertices[i]
    pins[pinCount + 2 * i + 1] = vertexCount + pulls.parts[i]
    netOffsets[netCount + i + 1] = pinCount + 2 * (i + 1)
    netCosts[netCount + i] = pulls.costs[i]
  }
  return { netCount: netCount + extra, netOffsets, pins, netCosts }
}

/** Where the vertex that weighs most in a unit was before. */
function preferredOf(
  previous: Int32Array,
  k: number,
  unitOf: Int32Array,
  weights: Float64Array,
  r: number,
  count: number,
): Int32Array {
  const preferred = new Int32Array(count).fill(-1)
  const heaviest = new Float64Array(count).fill(-1)
  for (let v = 0; v < previous.length; v++) {
    const unit = unitOf[v]
    const weight = weights[unit * r]
    if (previous[v] < 0 || previous[v] >= k || weight <= heaviest[unit]) continue
    heaviest[unit] = weight
    preferred[unit] = previous[v]
  }
  return preferred
}
