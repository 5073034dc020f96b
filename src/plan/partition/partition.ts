import { checkRequest } from './check-request.js'
import { takeIn } from './intake.js'
import { solve } from './solve.js'
import {
  affinityOf,
  imbalanceBoundOf,
  imbalanceOf,
  type Level,
  movedOf,
  objectivesOf,
  type Partition,
  type PartitionRequest,
  planRoom,
  presets,
  type Room,
  Workspace,
} from './state/index.js'

/** Throws a PartitionError when something is wrong with the request. */
export function partition(request: PartitionRequest): Partition {
  checkRequest(request)
  const { hypergraph, k } = request
  const shares = sharesOf(request)
  const intake = takeIn(request)
  const plan = planRoom(intake.level, shares, intake.epsilons, intake.preferred)
  const level = intake.level.withFixed(plan.fixed)
  const workspace = new Workspace(deadlineOf(request))
  const units = solve(workspace, level, plan.room, intake.preferred, presets[request.preset], request.seed)
  fillEmptyParts(level, plan.room, units, intake.unitOf)
  const parts = intake.unitOf.map(unit => units[unit])
  const heavy = new Set(plan.heavy)
  return {
    k,
    parts,
    ...objectivesOf(hypergraph, k, parts),
    imbalance: imbalanceOf(hypergraph, parts, shares),
    imbalanceBound: imbalanceBoundOf(hypergraph, shares, request.fixed, request.groups),
    imbalanceWithoutHeavy: imbalanceOf(hypergraph, parts, shares, plan.heavyParts),
    heavyVertices: Array.from(intake.unitOf.keys()).filter(v => heavy.has(intake.unitOf[v])),
    balanced: isBalanced(level, plan.room, units),
    affinity: affinityOf(request, parts),
    ...movedOf(request, parts),
  }
}

function sharesOf({ targets, k }: PartitionRequest): readonly number[] {
  if (targets === undefined) return new Array<number>(k).fill(1 / k)
  const sum = targets.reduce((total, share) => total + share, 0)
  return targets.map(share => share / sum)
}

function deadlineOf({ timeLimitMs, clock }: PartitionRequest): () => boolean {
  if (timeLimitMs === undefined || clock === undefined) return () => false
  const deadline = clock.monotonic() + timeLimitMs
  return () => clock.monotonic() >= deadline
}

function isBalanced(level: Level, room: Room, parts: Int32Array): boolean {
  const r = level.constraintCount
  const weights = new Float64Array(room.caps.length)
  for (let v = 0; v < level.vertexCount; v++)
    for (let i = 0; i < r; i++) weights[parts[v] * r + i] += level.weights[v * r + i]
  return weights.every((weight, i) => weight <= room.caps[i] * (1 + 1e-9))
}

/**
 * Gives each part without a vertex the cheapest unit of a part that has several. `unitOf`: vertices to units.
 */
function fillEmptyParts(level: Level, room: Room, parts: Int32Array, unitOf: Int32Array): void {
  const members = new Int32Array(level.vertexCount)
  for (let v = 0; v < unitOf.length; v++) members[unitOf[v]]++
  const sizes = new Int32Array(room.k)
  for (let u = 0; u < level.vertexCount; u++) if (members[u] > 0) sizes[parts[u]]++
  if (!sizes.includes(0)) return
  const free = Array.from(members.keys())
    .filter(u => members[u] > 0 && level.fixed[u] < 0)
    .sort((a, b) => level.degrees[a] - level.degrees[b] || a - b)
  let next = 0
  for (let p = 0; p < room.k; p++) {
    if (sizes[p] > 0) continue
    while (next < free.length && sizes[parts[free[next]]] < 2) next++
    if (next === free.length) return
    sizes[parts[free[next]]]--
    parts[free[next]] = p
    sizes[p] = 1
    next++
  }
}
