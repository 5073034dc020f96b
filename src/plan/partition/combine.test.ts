import { describe, expect, it } from 'vitest'
import { hypergraphOf } from '../../../test/kit/made-hypergraphs.js'
import { combineNets, type Objective, partitionObjectives } from './combine.js'
import { PartitionError } from './state/index.js'

const ones = (count: number): Float64Array => new Float64Array(count).fill(1)
const request = { k: 2, epsilons: [0], preset: 'fast', seed: 1 } as const

describe('several objectives', () => {
  const links = hypergraphOf(
    4,
    [
      [0, 1],
      [2, 3],
    ],
    1,
    ones(4),
    [4, 6],
  )
  const near = hypergraphOf(
    4,
    [
      [0, 2],
      [1, 3, 2],
    ],
    1,
    ones(4),
    [100, 300],
  )

  it('are scaled by their weight and by what each costs at best', () => {
    const objectives = [
      { hypergraph: links, weight: 3 },
      { hypergraph: near, weight: 1 },
    ]
    const combined = combineNets(objectives, [2, 50])
    expect([...combined.netOffsets]).toEqual([0, 2, 4, 6, 9])
    expect([...combined.pins]).toEqual([0, 1, 2, 3, 0, 2, 1, 3, 2])
    expect([...combined.netCosts]).toEqual([(3 * 4) / 2, (3 * 6) / 2, 100 / 50, 300 / 50])
  })

  it('keep the unit of the first file, so that migration and affinity keep theirs', () => {
    const objectives = [
      { hypergraph: links, weight: 3 },
      { hypergraph: near, weight: 1 },
    ]
    const { netCosts } = combineNets(objectives, [2, 50], links)
    expect(netCosts[0]).toBeCloseTo(4)
    expect(netCosts[2]).toBeCloseTo(100 / 50 / (3 / 2))
  })

  it('that cost nothing at best are scaled by their cheapest net', () => {
    expect([...combineNets([{ hypergraph: links, weight: 1 }], [0]).netCosts]).toEqual([1, 1.5])
  })

  it('decide by their weights which vertices stay together, and report the figures of the hypergraph asked about', () => {
    const across = hypergraphOf(
      4,
      [
        [0, 2],
        [1, 3],
      ],
      1,
      ones(4),
    )
    const weigh = (a: number, b: number): readonly Objective[] => [
      { hypergraph: links, weight: a },
      { hypergraph: across, weight: b },
    ]
    const first = partitionObjectives(weigh(10, 1), { ...request, hypergraph: links })
    expect(first.parts[0]).toBe(first.parts[1])
    expect(first.km1).toBe(0)
    const second = partitionObjectives(weigh(1, 10), { ...request, hypergraph: links })
    expect(second.parts[0]).toBe(second.parts[2])
    expect(second.km1).toBe(10)
    expect(second.cut).toBe(10)
  })

  it('are partitioned alone by their own vertex weights where they have any, else by those asked about', () => {
    // By the weights asked about vertex 0 is as heavy as the others together: the dear net is cut.
    const asked = hypergraphOf(4, [[1, 2]], 1, Float64Array.from([3, 1, 1, 1]))
    const nets = [
      [0, 1],
      [2, 3],
    ]
    const other = hypergraphOf(4, nets, 1, ones(4), [5, 2])
    const costsWith = (own: Pick<Objective, 'alone'>) => {
      const objectives = [
        { hypergraph: asked, weight: 1 },
        { hypergraph: other, weight: 1, ...own },
      ]
      return partitionObjectives(objectives, { ...request, hypergraph: asked }).objectives
    }
    expect(costsWith({})).toEqual([
      { alone: 0, km1: 0 },
      { alone: 5, km1: 5 },
    ])
    expect(costsWith({ alone: { vertexWeights: ones(4), epsilon: 0 } })[1]).toEqual({ alone: 0, km1: 5 })
  })

  it('must fit the vertices and have a weight', () => {
    const small = hypergraphOf(2, [[0, 1]], 1, ones(2))
    const given = { ...request, hypergraph: links }
    expect(() => partitionObjectives([], given)).toThrow(PartitionError)
    expect(() => partitionObjectives([{ hypergraph: small, weight: 1 }], given)).toThrow(
      '2 vertices instead of 4',
    )
    for (const weight of [0, -1, Number.NaN])
      expect(() => partitionObjectives([{ hypergraph: links, weight }], given)).toThrow('must be more than 0')
  })
})
