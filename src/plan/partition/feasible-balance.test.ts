import { describe, expect, it } from 'vitest'
import { heavyTailedHypergraph } from '../../../test/kit/made-hypergraphs.js'
import { partition } from './partition.js'
import type { Hypergraph, Partition } from './state/index.js'

const EPSILON = 0.05

/**
 * The judge: largest vertex first, to the part whose fullest constraint it leaves lowest. Returns the
 * imbalances.
 */
function greedyImbalance(
  { vertexCount, constraintCount: r, vertexWeights }: Hypergraph,
  k: number,
): number[] {
  const total = new Float64Array(r)
  for (let at = 0; at < vertexWeights.length; at++) total[at % r] += vertexWeights[at]
  const shares = vertexWeights.map((weight, at) => (weight * k) / total[at % r])
  const largest = (v: number) => Math.max(...shares.subarray(v * r, v * r + r))
  const order = Array.from({ length: vertexCount }, (_, v) => v).sort((a, b) => largest(b) - largest(a))
  const loads = new Float64Array(k * r)
  for (const v of order) {
    let best = 0
    let least = Number.POSITIVE_INFINITY
    for (let p = 0; p < k; p++) {
      let fullest = 0
      for (let i = 0; i < r; i++) fullest = Math.max(fullest, loads[p * r + i] + shares[v * r + i])
      if (fullest < least) [best, least] = [p, fullest]
    }
    for (let i = 0; i < r; i++) loads[best * r + i] += shares[v * r + i]
  }
  return Array.from(total, (_, i) => Math.max(...loads.filter((_load, at) => at % r === i)) - 1)
}

const isWithin = (imbalance: readonly number[], { imbalanceBound }: Partition) =>
  imbalance.every((value, i) => value <= Math.max(EPSILON, imbalanceBound[i]) + 1e-9)

describe('heavy-tailed weights', () => {
  for (const k of [32, 64, 128])
    it(`are balanced whenever a greedy packing is: K = ${k}`, () => {
      let feasible = 0
      const missed: string[] = []
      for (const correlation of [0, 0.5, 1])
        for (const tail of [1.3, 1.8])
          for (let seed = 1; seed <= 4; seed++) {
            const knobs = { vertices: 600 + 200 * (seed % 3), constraints: 1 + (seed % 3), tail, correlation }
            const hypergraph = heavyTailedHypergraph({ ...knobs, seed: 100 * k + seed })
            const epsilons = new Array<number>(knobs.constraints).fill(EPSILON)
            const result = partition({ hypergraph, k, epsilons, preset: 'fast', seed })
            const greedy = greedyImbalance(hypergraph, k)
            if (!isWithin(greedy, result)) continue
            feasible++
            if (!isWithin(result.imbalance, result))
              missed.push(`${JSON.stringify({ ...knobs, seed })}: ${result.imbalance}, greedy ${greedy}`)
          }
      expect(missed).toEqual([])
      expect(feasible).toBeGreaterThan(12)
    })
})
