import { SeededRandom } from '../model/random.js'
import { checkRequest } from './check-request.js'
import { contractNets } from './contract.js'
import { Evolution } from './evolve.js'
import { imbalanceBoundOf, imbalanceOf, movedOf, objectivesOf } from './figures.js'
import { planHeavy } from './heavy.js'
import { levelOf } from './level.js'
import { presets } from './presets.js'
import type { Partition, PartitionRequest } from './request.js'
import { Workspace } from './workspace.js'

/** Throws a PartitionError when something is wrong with the request. */
export function partition(request: PartitionRequest): Partition {
  checkRequest(request)
  const { hypergraph, k } = request
  const ids = Int32Array.from({ length: hypergraph.vertexCount }, (_, v) => v)
  const base = levelOf(
    contractNets(hypergraph, ids, hypergraph.vertexCount),
    hypergraph.vertexCount,
    hypergraph.constraintCount,
    hypergraph.vertexWeights,
    new Int32Array(hypergraph.vertexCount).fill(-1),
  )
  const plan = planHeavy(base, k, request.epsilons)
  const level = { ...base, fixed: plan.fixed }
  const effort = presets[request.preset]
  const random = new SeededRandom(request.seed)
  const workspace = new Workspace()
  const outcome = new Evolution(workspace, level, plan.room, effort, random).run(effort.budget, () => false)
  const { parts } = outcome
  const shares = request.targets ?? new Array<number>(k).fill(1 / k)
  const ownParts = new Set(plan.heavy.map(vertex => parts[vertex]))
  return {
    k,
    parts,
    ...objectivesOf(hypergraph, k, parts),
    imbalance: imbalanceOf(hypergraph, parts, shares),
    imbalanceBound: imbalanceBoundOf(hypergraph, shares, request.fixed, request.groups),
    imbalanceWithoutHeavy: imbalanceOf(hypergraph, parts, shares, ownParts),
    heavyVertices: plan.heavy,
    balanced: outcome.overload === 0,
    ...movedOf(request, parts),
  }
}
