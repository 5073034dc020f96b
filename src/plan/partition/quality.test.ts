import { describe, expect, it } from 'vitest'
import {
  heavyTailedHypergraph,
  plantedHypergraph,
  siteHypergraph,
} from '../../../test/kit/made-hypergraphs.js'
import { partition } from './partition.js'

describe('quality', () => {
  const sets = {
    planted: plantedHypergraph({ vertices: 300, parts: 6, nets: 900, crossing: 0.3, seed: 1 }).hypergraph,
    sites: siteHypergraph({ sites: 250, pages: 900, seed: 2 }),
    // Alone, the larger effort ends at 307 here and the smaller one at 306.
    heavyTailed: heavyTailedHypergraph({
      vertices: 250,
      constraints: 2,
      tail: 1.5,
      correlation: 0.5,
      seed: 3,
    }),
  }

  for (const [name, hypergraph] of Object.entries(sets))
    it(`is never worse than default, in balance or in km1: ${name}`, {
      tags: name === 'sites' ? [] : ['deep'],
    }, () => {
      const epsilons = new Array<number>(hypergraph.constraintCount).fill(0.03)
      const request = { hypergraph, k: 3, seed: 8, epsilons }
      const plain = partition({ ...request, preset: 'default' })
      const best = partition({ ...request, preset: 'quality' })
      expect(plain.balanced).toBe(true)
      expect(best.balanced).toBe(true)
      expect(best.km1).toBeLessThanOrEqual(plain.km1)
    })
})
