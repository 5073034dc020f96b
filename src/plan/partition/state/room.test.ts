import { describe, expect, it } from 'vitest'
import { hypergraphOf } from '../../../../test/kit/made-hypergraphs.js'
import { partition } from '../index.js'
import { levelOf } from './level.js'
import { planRoom } from './room.js'

function levelWith(weights: readonly number[], constraintCount: number, fixed?: readonly number[]) {
  const count = weights.length / constraintCount
  const none = {
    netCount: 0,
    netOffsets: new Int32Array(1),
    pins: new Int32Array(0),
    netCosts: new Float64Array(0),
  }
  const pinned = Int32Array.from({ length: count }, (_, v) => fixed?.[v] ?? -1)
  return levelOf(none, constraintCount, Float64Array.from(weights), pinned)
}

const equal = (k: number) => new Array<number>(k).fill(1 / k)

describe('room', () => {
  it('gives a vertex that outweighs a part its own and caps the others by what is left', () => {
    // 100 against (1 + 0.05) * 190 / 4: heavy. Then 40 against 1.05 * 90 / 3 = 31.5: heavy too. Then 10 fits.
    const { room, heavy, fixed } = planRoom(
      levelWith([100, 40, 10, 10, 10, 10, 10], 1),
      equal(4),
      [0.05],
      null,
    )
    expect([...heavy]).toEqual([0, 1])
    expect(fixed[0]).not.toBe(fixed[1])
    expect(room.caps[fixed[0]]).toBeCloseTo(100)
    expect(room.caps[fixed[1]]).toBeCloseTo(40)
    const others = [0, 1, 2, 3].filter(p => p !== fixed[0] && p !== fixed[1])
    // max(W / k, rest / 2) = max(47.5, 25)
    for (const p of others) expect(room.caps[p]).toBeCloseTo(1.05 * 47.5)
  })

  it('caps each constraint by the larger of the share of all and of the rest', () => {
    const weights = [50, 0, 1, 10, 1, 10, 1, 10]
    const { room, heavy, fixed } = planRoom(levelWith(weights, 2), equal(2), [0, 0.1], null)
    expect([...heavy]).toEqual([0])
    const other = 1 - fixed[0]
    expect(room.caps[other * 2]).toBeCloseTo(53 / 2)
    expect(room.caps[other * 2 + 1]).toBeCloseTo(1.1 * 30)
  })

  it('lets a part hold its share rounded up where weights are whole', () => {
    const { room } = planRoom(levelWith(new Array<number>(10).fill(1), 1), equal(3), [0.05], null)
    expect([...room.caps].map(Math.round)).toEqual([4, 4, 4])
    expect(planRoom(levelWith([0.5, 0.7, 0.9], 1), equal(3), [0.3], null).room.caps[0]).toBeCloseTo(1.3 * 0.7)
  })

  it('lets a heavy vertex stay where it was', () => {
    const before = Int32Array.of(2, 0, 0, 0)
    expect(planRoom(levelWith([90, 10, 10, 10], 1), equal(3), [0.05], before).fixed[0]).toBe(2)
  })

  it('is reported: heavy vertices, the bound, and the rest without them', () => {
    const weights = Float64Array.from({ length: 41 }, (_, v) => (v === 0 ? 100 : 5))
    const nets = Array.from({ length: 40 }, (_, v) => [v, v + 1])
    const result = partition({
      hypergraph: hypergraphOf(41, nets, 1, weights),
      k: 6,
      epsilons: [0.05],
      preset: 'fast',
      seed: 1,
    })
    expect(result.heavyVertices).toEqual([0])
    expect(result.parts.filter(part => part === result.parts[0])).toHaveLength(1)
    expect(result.imbalance[0]).toBeCloseTo(1)
    expect(result.imbalanceBound[0]).toBeCloseTo(1)
    expect(result.imbalanceWithoutHeavy[0]).toBeLessThanOrEqual(0.05)
    expect(result.balanced).toBe(true)
  })
})
