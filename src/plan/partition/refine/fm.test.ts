import { describe, expect, it } from 'vitest'
import { plantedHypergraph } from '../../../../test/kit/made-hypergraphs.js'
import { SeededRandom } from '../../../model/index.js'
import { contractNets } from '../coarsen/index.js'
import { netsOf } from '../intake.js'
import { levelOf, Placement, Workspace } from '../state/index.js'
import { refineByMoves } from './fm.js'

const K = 4
const VERTICES = 1_000

/** The planted partition with one vertex in a wrong part: nothing else is worth a move. */
function misplacedIn(seed: number) {
  const planted = plantedHypergraph({ vertices: VERTICES, parts: K, nets: 6_000, crossing: 0.2, seed })
  const free = new Int32Array(VERTICES).fill(-1)
  const ids = free.map((_, v) => v)
  const nets = contractNets(netsOf(planted.hypergraph), ids, VERTICES)
  const level = levelOf(nets, 1, planted.hypergraph.vertexWeights, free)
  const parts = planted.parts.slice()
  parts[seed] = (parts[seed] + 1) % K
  const caps = new Float64Array(K).fill(VERTICES)
  return { planted, placement: new Placement(new Workspace(() => false), level, K, parts, caps) }
}

function refined(seed: number, fruitless: number) {
  const { planted, placement } = misplacedIn(seed)
  const before = placement.workspace.work
  const limits = { rounds: 1, seeds: 1, patience: 100, fruitless, worthwhile: 0 }
  refineByMoves(placement, limits, new SeededRandom(seed))
  return { planted, placement, work: placement.workspace.work - before }
}

describe('local searches', () => {
  it('start where the next move loses least, so that a small allowance finds what there is to gain', () => {
    for (let seed = 0; seed < 10; seed++) {
      const { planted, placement } = refined(seed, 0.01)
      expect(placement.parts[seed]).toBe(planted.parts[seed])
    }
  })

  it('end when those in a row without a gain have used up their allowance', () => {
    expect(refined(1, 0.1).work * 10).toBeLessThan(refined(1, Number.POSITIVE_INFINITY).work)
  })
})
