import { describe, expect, it } from 'vitest'
import { hypergraphOf } from '../../../test/kit/made-hypergraphs.js'
import { checkRequest } from './check-request.js'
import { PartitionError, type PartitionRequest } from './state/index.js'

const hypergraph = hypergraphOf(
  3,
  [
    [0, 1],
    [1, 2],
  ],
  1,
  Float64Array.from([1, 2, 3]),
)
const good: PartitionRequest = { hypergraph, k: 2, epsilons: [0.05], preset: 'fast', seed: 1 }
const affinity = (vertex: number, part: number, gain: number) => ({
  vertices: Uint32Array.of(vertex),
  parts: Uint32Array.of(part),
  gains: Float64Array.of(gain),
})

describe('a request', () => {
  it('that is right passes', () => {
    checkRequest(good)
    checkRequest({
      ...good,
      fixed: Int32Array.of(-1, 0, 1),
      groups: Int32Array.of(-1, 7, 7),
      previous: Int32Array.of(-1, 9, 0),
      targets: [0.5, 0.5],
      affinity: affinity(2, 1, -3),
      migrationWeight: 0,
    })
  })

  it.each<[string, Partial<PartitionRequest>, string]>([
    ['no parts', { k: 0 }, '0 parts'],
    ['half a part', { k: 1.5 }, '1.5 parts'],
    ['more parts than vertices', { k: 4 }, '3 vertices cannot make 4 parts'],
    ['a negative epsilon', { epsilons: [-0.1] }, 'epsilon -0.1'],
    ['an epsilon of NaN', { epsilons: [Number.NaN] }, 'epsilon NaN'],
    ['two epsilons', { epsilons: [0, 0] }, '2 epsilons for 1 weights'],
    ['one target', { targets: [1] }, '1 target shares for 2 parts'],
    ['a target of 0', { targets: [1, 0] }, 'a target share of 0'],
    ['too few fixed', { fixed: Int32Array.of(0) }, 'fixed has 1 entries for 3 vertices'],
    ['a fixed part too high', { fixed: Int32Array.of(0, 2, -1) }, 'fixed to part 2 of 2'],
    ['too many groups', { groups: new Int32Array(4) }, 'groups has 4 entries'],
    ['a group of -2', { groups: Int32Array.of(-2, 0, 0) }, 'group -2'],
    ['a previous part of -2', { previous: Int32Array.of(-2, 0, 0) }, 'part -2'],
    ['affinity of no vertex', { affinity: affinity(3, 0, 1) }, 'affinity of vertex 3 of 3'],
    ['affinity to no part', { affinity: affinity(0, 2, 1) }, 'affinity to part 2 of 2'],
    ['affinity of NaN', { affinity: affinity(0, 0, Number.NaN) }, 'an affinity of NaN'],
    ['a negative price of moves', { migrationWeight: -1 }, 'cannot be negative'],
    ['a time limit without a clock', { timeLimitMs: 10 }, 'a clock'],
    [
      'a NaN weight',
      { hypergraph: { ...hypergraph, vertexWeights: Float64Array.of(1, Number.NaN, 1) } },
      'weighs NaN',
    ],
    ['a negative cost', { hypergraph: { ...hypergraph, netCosts: Float64Array.of(1, -1) } }, 'costs -1'],
    [
      'a missing weight',
      { hypergraph: { ...hypergraph, vertexWeights: Float64Array.of(1, 1) } },
      '2 weights for 3',
    ],
    [
      'a pin out of range',
      { hypergraph: { ...hypergraph, pins: Uint32Array.of(0, 1, 1, 3) } },
      'vertex 3 of 3',
    ],
    ['a pin too many', { hypergraph: { ...hypergraph, pins: new Uint32Array(5) } }, 'do not span'],
    ['a net too few', { hypergraph: { ...hypergraph, netCount: 1 } }, 'for 1 nets'],
    [
      'a net that ends before it begins',
      { hypergraph: { ...hypergraph, netOffsets: Uint32Array.of(0, 5, 4) } },
      'ends before it begins',
    ],
  ])('with %s is refused in one line', (_, change, complaint) => {
    expect(() => checkRequest({ ...good, ...change })).toThrow(PartitionError)
    expect(() => checkRequest({ ...good, ...change })).toThrow(complaint)
  })
})
