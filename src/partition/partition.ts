import { SeededRandom } from '../model/random.js'
import { contractNets } from './contract.js'
import { Evolution } from './evolve.js'
import { planHeavy } from './heavy.js'
import { levelOf } from './level.js'
import { presets } from './presets.js'
import type { Partition, PartitionRequest } from './request.js'
import { Workspace } from './workspace.js'

/** First version: vertices dealt out in turn. The real thing follows. */
export function partition(request: PartitionRequest): Partition {
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
  const none = new Array<number>(hypergraph.constraintCount).fill(0)
  return {
    k,
    parts: outcome.parts,
    km1: outcome.km1,
    cut: 0,
    imbalance: none,
    imbalanceBound: none,
    imbalanceWithoutHeavy: none,
    heavyVertices: plan.heavy,
    balanced: false,
    coalescedMessages: workspace.work,
    moved: 0,
    movedWeight: none,
  }
}
