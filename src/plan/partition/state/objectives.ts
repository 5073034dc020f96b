/** The objectives of a partition (km1, cut, messages) and its balance, counted on the given hypergraph. */
import type { Hypergraph } from './hypergraph.js'
import type { Partition, PartitionRequest } from './request.js'

type Objectives = Pick<Partition, 'km1' | 'cut' | 'coalescedMessages'>
type Weights = Pick<Hypergraph, 'vertexCount' | 'constraintCount' | 'vertexWeights'>

export function objectivesOf(hypergraph: Hypergraph, k: number, parts: Int32Array): Objectives {
  const { netOffsets, pins, netCosts, netCount } = hypergraph
  let km1 = 0
  let cut = 0
  /** The last net that touched a part, from 1. */
  const touchedBy = new Uint32Array(k)
  for (let net = 0; net < netCount; net++) {
    let touched = 0
    for (let at = netOffsets[net]; at < netOffsets[net + 1]; at++) {
      const part = parts[pins[at]]
      if (touchedBy[part] === net + 1) continue
      touchedBy[part] = net + 1
      touched++
    }
    if (touched < 2) continue
    km1 += netCosts[net] * (touched - 1)
    cut += netCosts[net]
  }
  return { km1, cut, coalescedMessages: coalescedMessages(hypergraph, k, parts) }
}

/** The two counts of messages (H5) of any parts, whoever made them. */
export function messagesOf(
  hypergraph: Hypergraph,
  k: number,
  parts: Int32Array,
): { readonly messages: number; readonly coalescedMessages: number } {
  const { km1, coalescedMessages } = objectivesOf(hypergraph, k, parts)
  return { messages: km1, coalescedMessages }
}

/** Source by source: each part other than its own is told once, whichever of its nets touch it. */
function coalescedMessages(hypergraph: Hypergraph, k: number, parts: Int32Array): number {
  const { netOffsets, pins, netCount, vertexCount } = hypergraph
  const offsets = new Uint32Array(vertexCount + 1)
  for (let net = 0; net < netCount; net++) if (hasPins(net)) offsets[pins[netOffsets[net]] + 1]++
  for (let v = 0; v < vertexCount; v++) offsets[v + 1] += offsets[v]
  const netsBySource = new Uint32Array(offsets[vertexCount])
  const fill = offsets.slice()
  for (let net = 0; net < netCount; net++) if (hasPins(net)) netsBySource[fill[pins[netOffsets[net]]]++] = net
  const toldBy = new Uint32Array(k)
  let messages = 0
  for (let source = 0; source < vertexCount; source++) {
    toldBy[parts[source]] = source + 1
    for (let i = offsets[source]; i < offsets[source + 1]; i++) {
      const net = netsBySource[i]
      for (let at = netOffsets[net]; at < netOffsets[net + 1]; at++) {
        const part = parts[pins[at]]
        if (toldBy[part] === source + 1) continue
        toldBy[part] = source + 1
        messages++
      }
    }
  }
  return messages

  function hasPins(net: number): boolean {
    return netOffsets[net + 1] > netOffsets[net]
  }
}

/** Weight of each part: loads[p * constraintCount + r]. */
function loadsOf({ vertexCount, constraintCount, vertexWeights }: Hypergraph, k: number, parts: Int32Array) {
  const loads = new Float64Array(k * constraintCount)
  for (let v = 0; v < vertexCount; v++)
    for (let r = 0; r < constraintCount; r++)
      loads[parts[v] * constraintCount + r] += vertexWeights[v * constraintCount + r]
  return loads
}

/** Per constraint: heaviest part over its share, minus 1; the parts in `left` are left out. */
export function imbalanceOf(
  hypergraph: Hypergraph,
  parts: Int32Array,
  shares: readonly number[],
  left?: ReadonlySet<number>,
): number[] {
  const { constraintCount } = hypergraph
  const loads = loadsOf(hypergraph, shares.length, parts)
  const totals = totalsOf(hypergraph)
  return Array.from(totals, (total, r) => {
    let most = 0
    for (let p = 0; p < shares.length; p++)
      if (!left?.has(p)) most = Math.max(most, loads[p * constraintCount + r] / shares[p])
    return excess(most, total)
  })
}

/**
 * What no partition can go below: a group or a lone vertex is in one part, at best the one with the largest
 * share; the pinned ones of a part are all in it; and where there are more of them than parts, some must
 * share one.
 */
export function imbalanceBoundOf(
  hypergraph: Weights,
  shares: readonly number[],
  fixed?: Int32Array,
  groups?: Int32Array,
): number[] {
  const { vertexCount, constraintCount, vertexWeights } = hypergraph
  const { units, unitOf } = unitsOf(vertexCount, groups)
  const unitPart = new Int32Array(units).fill(-1)
  for (let v = 0; v < vertexCount; v++) if (fixed && fixed[v] >= 0) unitPart[unitOf[v]] = fixed[v]
  const largest = shares.reduce((most, share) => Math.max(most, share), 0)
  const totals = totalsOf(hypergraph)
  return Array.from(totals, (total, r) => {
    const unitLoads = new Float64Array(units)
    for (let v = 0; v < vertexCount; v++) unitLoads[unitOf[v]] += vertexWeights[v * constraintCount + r]
    const pinned = new Float64Array(shares.length)
    let worst = crowding(unitLoads, shares.length) / largest
    for (let unit = 0; unit < units; unit++) {
      if (unitPart[unit] === -1) worst = Math.max(worst, unitLoads[unit] / largest)
      else pinned[unitPart[unit]] += unitLoads[unit]
    }
    for (let p = 0; p < shares.length; p++) worst = Math.max(worst, pinned[p] / shares[p])
    return Math.max(0, excess(worst, total))
  })
}

/**
 * Of the j * k + 1 heaviest units j + 1 share a part, whose load is that of the j + 1 lightest among them at
 * least. So seven parts of 50 equal vertices cannot all have less than eight.
 */
function crowding(loads: Float64Array, k: number): number {
  const rising = loads.slice().sort()
  const count = rising.length
  const sums = new Float64Array(count + 1)
  for (let i = 0; i < count; i++) sums[i + 1] = sums[i] + rising[i]
  let most = 0
  for (let j = 1; j * k < count; j++) {
    const lightest = count - j * k - 1
    most = Math.max(most, sums[lightest + j + 1] - sums[lightest])
  }
  return most
}

/** Groups and lone vertices, numbered in the order of their first vertex. */
function unitsOf(vertexCount: number, groups?: Int32Array): { units: number; unitOf: Int32Array } {
  const unitOf = new Int32Array(vertexCount)
  const known = new Map<number, number>()
  let units = 0
  for (let v = 0; v < vertexCount; v++) {
    const group = groups ? groups[v] : -1
    if (group === -1) {
      unitOf[v] = units++
      continue
    }
    const unit = known.get(group) ?? units++
    known.set(group, unit)
    unitOf[v] = unit
  }
  return { units, unitOf }
}

export function movedOf(
  { hypergraph, previous }: PartitionRequest,
  parts: Int32Array,
): Pick<Partition, 'moved' | 'movedWeight'> {
  const { vertexCount, constraintCount, vertexWeights } = hypergraph
  const movedWeight = new Array<number>(constraintCount).fill(0)
  let moved = 0
  for (let v = 0; v < vertexCount && previous; v++) {
    if (previous[v] === -1 || previous[v] === parts[v]) continue
    moved++
    for (let r = 0; r < constraintCount; r++) movedWeight[r] += vertexWeights[v * constraintCount + r]
  }
  return { moved, movedWeight }
}

/** The gains of the vertices that got the part they are for. */
export function affinityOf({ affinity }: PartitionRequest, parts: Int32Array): number {
  if (affinity === undefined) return 0
  return affinity.gains.reduce(
    (sum, gain, i) => (parts[affinity.vertices[i]] === affinity.parts[i] ? sum + gain : sum),
    0,
  )
}

function totalsOf({ vertexCount, constraintCount, vertexWeights }: Weights): Float64Array {
  const totals = new Float64Array(constraintCount)
  for (let v = 0; v < vertexCount; v++)
    for (let r = 0; r < constraintCount; r++) totals[r] += vertexWeights[v * constraintCount + r]
  return totals
}

/** Where nothing weighs anything there is nothing to balance. */
function excess(load: number, total: number): number {
  return total === 0 ? 0 : load / total - 1
}
