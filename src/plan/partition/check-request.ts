/** Says in one line what is wrong with a request, before anything is spent on it. */

import { PartitionError, type PartitionRequest } from './state/index.js'

export function checkRequest(request: PartitionRequest): void {
  const { hypergraph, k, epsilons, targets, timeLimitMs, clock, migrationWeight } = request
  const { vertexCount, constraintCount } = hypergraph
  if (!Number.isInteger(k) || k < 1) refuse(`${k} parts: a whole number of at least 1 is wanted`)
  if (k > vertexCount) refuse(`${vertexCount} vertices cannot make ${k} parts`)
  if (epsilons.length !== constraintCount)
    refuse(`${epsilons.length} epsilons for ${constraintCount} weights per vertex`)
  for (const epsilon of epsilons)
    if (!(epsilon >= 0 && epsilon < Number.POSITIVE_INFINITY))
      refuse(`epsilon ${epsilon}: at least 0 is wanted`)
  if (targets !== undefined && targets.length !== k) refuse(`${targets.length} target shares for ${k} parts`)
  for (const share of targets ?? [])
    if (!(share > 0 && share < Number.POSITIVE_INFINITY))
      refuse(`a target share of ${share}: it must be more than 0`)
  if (migrationWeight !== undefined && !(migrationWeight >= 0))
    refuse('the migration weight cannot be negative')
  if (timeLimitMs !== undefined && (!(timeLimitMs >= 0) || clock === undefined))
    refuse('a time limit of at least 0 and a clock are wanted')
  checkArrays(request)
  checkHypergraph(request)
}

function checkArrays({ hypergraph, k, fixed, groups, previous, affinity }: PartitionRequest): void {
  for (const [name, array] of Object.entries({ fixed, groups, previous }))
    if (array !== undefined && array.length !== hypergraph.vertexCount)
      refuse(`${name} has ${array.length} entries for ${hypergraph.vertexCount} vertices`)
  for (const part of fixed ?? [])
    if (part < -1 || part >= k) refuse(`a vertex is fixed to part ${part} of ${k}`)
  for (const part of previous ?? []) if (part < -1) refuse(`a vertex was in part ${part}`)
  for (const group of groups ?? []) if (group < -1) refuse(`a vertex is in group ${group}`)
  if (affinity === undefined) return
  const { vertices, parts, gains } = affinity
  if (vertices.length !== parts.length || gains.length !== parts.length)
    refuse('the arrays of the affinity differ in length')
  for (const vertex of vertices)
    if (vertex >= hypergraph.vertexCount) refuse(`affinity of vertex ${vertex} of ${hypergraph.vertexCount}`)
  for (const part of parts) if (part >= k) refuse(`affinity to part ${part} of ${k}`)
  for (const gain of gains) if (!Number.isFinite(gain)) refuse(`an affinity of ${gain}`)
}

function checkHypergraph({ hypergraph }: PartitionRequest): void {
  const { vertexCount, netCount, netOffsets, pins, netCosts, constraintCount, vertexWeights } = hypergraph
  if (constraintCount < 1 || vertexWeights.length !== vertexCount * constraintCount)
    refuse(`${vertexWeights.length} weights for ${vertexCount} vertices with ${constraintCount} each`)
  if (netOffsets.length !== netCount + 1 || netCosts.length !== netCount)
    refuse(`${netOffsets.length} offsets and ${netCosts.length} costs for ${netCount} nets`)
  if (netOffsets[0] !== 0 || netOffsets[netCount] !== pins.length) refuse('the offsets do not span the pins')
  for (let net = 0; net < netCount; net++)
    if (netOffsets[net + 1] < netOffsets[net]) refuse(`net ${net} ends before it begins`)
  for (let i = 0; i < pins.length; i++)
    if (pins[i] >= vertexCount) refuse(`a net names vertex ${pins[i]} of ${vertexCount}`)
  checkAmounts(vertexWeights, 'a vertex weighs')
  checkAmounts(netCosts, 'a net costs')
}

function checkAmounts(amounts: Float64Array, what: string): void {
  for (let i = 0; i < amounts.length; i++)
    if (!(amounts[i] >= 0 && amounts[i] < Number.POSITIVE_INFINITY)) refuse(`${what} ${amounts[i]}`)
}

function refuse(reason: string): never {
  throw new PartitionError(reason)
}
