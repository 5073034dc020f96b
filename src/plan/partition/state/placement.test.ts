import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hypergraphOf } from '../../../../test/kit/made-hypergraphs.js'
import { SeededRandom } from '../../../model/index.js'
import { contractNets } from '../coarsen/index.js'
import { netsOf } from '../intake.js'
import { refineByMoves } from '../refine/index.js'
import { levelOf } from './level.js'
import { objectivesOf } from './objectives.js'
import { Placement } from './placement.js'
import { Workspace } from './workspace.js'

const shape = fc.record({
  vertices: fc.integer({ min: 2, max: 30 }),
  k: fc.integer({ min: 2, max: 6 }),
  nets: fc.array(
    fc.record({ cost: fc.integer({ min: 0, max: 9 }), pins: fc.array(fc.nat(1000), { maxLength: 7 }) }),
    { maxLength: 40 },
  ),
  seed: fc.nat(),
})

function made({ vertices, k, nets, seed }: typeof shape extends fc.Arbitrary<infer T> ? T : never) {
  const lists = nets.map(net => net.pins.map(pin => pin % vertices))
  const weights = new Float64Array(vertices).fill(1)
  const costs = nets.map(net => net.cost)
  const hypergraph = hypergraphOf(vertices, lists, 1, weights, costs)
  const ids = Int32Array.from({ length: vertices }, (_, v) => v)
  const free = new Int32Array(vertices).fill(-1)
  const level = levelOf(contractNets(netsOf(hypergraph), ids, vertices), 1, weights, free)
  const random = new SeededRandom(seed)
  const draw = (bound: number) => Math.floor(random.next() * bound)
  const parts = Int32Array.from({ length: vertices }, () => draw(k))
  const caps = new Float64Array(k).fill(vertices)
  const workspace = new Workspace(() => false)
  return { hypergraph, level, random, draw, placement: new Placement(workspace, level, k, parts, caps) }
}

describe('a placement', () => {
  it('keeps objective, gains and part weights as if counted afresh, move after move', () => {
    fc.assert(
      fc.property(shape, given => {
        const { hypergraph, level, draw, placement } = made(given)
        for (let i = 0; i < 40; i++) {
          const vertex = draw(given.vertices)
          const to = draw(given.k)
          if (to === placement.parts[vertex]) continue
          const before = placement.km1
          const promised = placement.gain(vertex, to)
          expect(placement.move(vertex, to, null)).toBe(promised)
          expect(placement.km1).toBe(before - promised)
        }
        expect(placement.km1).toBe(objectivesOf(hypergraph, given.k, placement.parts).km1)
        const fresh = new Placement(
          new Workspace(() => false),
          level,
          given.k,
          placement.parts.slice(),
          placement.caps,
        )
        expect(placement.links).toEqual(fresh.links)
        expect(placement.lone).toEqual(fresh.lone)
        expect(placement.partWeights).toEqual(fresh.partWeights)
        expect(placement.cutNets).toEqual(fresh.cutNets)
      }),
    )
  })

  it('is never worse after local searches, and they count right', () => {
    fc.assert(
      fc.property(shape, given => {
        const { hypergraph, random, placement } = made(given)
        const before = placement.km1
        const fruitless = given.seed % 2 === 0 ? 0 : Number.POSITIVE_INFINITY
        refineByMoves(placement, { rounds: 3, seeds: 3, patience: 50, fruitless, worthwhile: 0 }, random)
        expect(placement.km1).toBeLessThanOrEqual(before)
        expect(placement.km1).toBe(objectivesOf(hypergraph, given.k, placement.parts).km1)
      }),
    )
  })
})
