import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hypergraphOf, plantedHypergraph, siteHypergraph } from '../../../test/kit/made-hypergraphs.js'
import { ManualClock } from '../../../test/kit/manual-clock.js'
import { partition } from './partition.js'
import { type Hypergraph, objectivesOf, type Partition, type PartitionRequest } from './state/index.js'

const base = { preset: 'fast', seed: 1 } as const

/** Any hypergraph: single pins, repeated pins, empty nets, weights of 0, vertices without nets. */
const anyRequest = fc
  .record({
    vertices: fc.integer({ min: 1, max: 40 }),
    constraints: fc.integer({ min: 1, max: 3 }),
    nets: fc.array(fc.record({ cost: fc.nat(5), pins: fc.array(fc.nat(10_000), { maxLength: 12 }) }), {
      maxLength: 60,
    }),
    weights: fc.array(fc.oneof(fc.nat(3), fc.nat(100)), { minLength: 120, maxLength: 120 }),
    pinned: fc.array(fc.integer({ min: -4, max: 40 }), { minLength: 40, maxLength: 40 }),
    groups: fc.array(fc.integer({ min: -6, max: 8 }), { minLength: 40, maxLength: 40 }),
    k: fc.nat(39),
    epsilon: fc.constantFrom(0, 0.03, 0.5),
    preset: fc.constantFrom('fast' as const, 'default' as const),
    seed: fc.nat(),
  })
  .map(({ vertices, constraints, nets, weights, k, epsilon, preset, seed, pinned, groups }) => {
    const lists = nets.map(net => net.pins.map(pin => pin % vertices))
    const hypergraph = hypergraphOf(
      vertices,
      lists,
      constraints,
      Float64Array.from(weights.slice(0, vertices * constraints)),
      nets.map(net => net.cost),
    )
    const parts = 1 + (k % vertices)
    const request: PartitionRequest = {
      hypergraph,
      k: parts,
      epsilons: new Array<number>(constraints).fill(epsilon),
      preset,
      seed,
    }
    const fixed = Int32Array.from({ length: vertices }, (_, v) =>
      pinned[v] < parts ? Math.max(-1, pinned[v]) : -1,
    )
    const grouped = Int32Array.from({ length: vertices }, (_, v) => Math.max(-1, groups[v]))
    return { request, fixed, groups: grouped }
  })

function expectSound(request: PartitionRequest, result: Partition): void {
  const { hypergraph, k } = request
  expect(result.parts).toHaveLength(hypergraph.vertexCount)
  for (const part of result.parts) expect(part >= 0 && part < k).toBe(true)
  expect(result.km1).toBe(objectivesOf(hypergraph, k, result.parts).km1)
  for (const [r, imbalance] of result.imbalance.entries())
    expect(imbalance).toBeGreaterThanOrEqual(result.imbalanceBound[r] - 1e-9)
}

describe('partition', () => {
  it('gives every vertex a part and every part a vertex, on any hypergraph', () => {
    fc.assert(
      fc.property(anyRequest, ({ request }) => {
        const result = partition(request)
        expectSound(request, result)
        expect(new Set(result.parts).size).toBe(request.k)
      }),
      { numRuns: 60 },
    )
  })

  it('leaves fixed vertices where they are', () => {
    fc.assert(
      fc.property(anyRequest, ({ request, fixed }) => {
        const result = partition({ ...request, fixed })
        expectSound(request, result)
        for (const [v, part] of fixed.entries()) if (part >= 0) expect(result.parts[v]).toBe(part)
      }),
      { numRuns: 40 },
    )
  })

  it('keeps groups together', () => {
    fc.assert(
      fc.property(anyRequest, ({ request, groups }) => {
        const result = partition({ ...request, groups })
        expectSound(request, result)
        const partOf = new Map<number, number>()
        for (const [v, group] of groups.entries()) {
          if (group < 0) continue
          expect(result.parts[v]).toBe(partOf.get(group) ?? result.parts[v])
          partOf.set(group, result.parts[v])
        }
      }),
      { numRuns: 40 },
    )
  })

  it('gives the same parts for the same seed', () => {
    fc.assert(
      fc.property(anyRequest, ({ request }) => {
        expect(partition(request).parts).toEqual(partition(request).parts)
      }),
      { numRuns: 20 },
    )
    const sites = siteHypergraph({ sites: 600, seed: 4 })
    const request = { ...base, hypergraph: sites, k: 7, epsilons: [0.05, 0.05] }
    expect(partition(request).parts).toEqual(partition(request).parts)
    expect(partition({ ...request, seed: 2 }).parts).not.toEqual(partition(request).parts)
  })

  it('meets the balance of a planted partition with a little slack, and its cost', () => {
    for (const [vertices, k, seed] of [
      [200, 4, 1],
      [400, 16, 2],
      [600, 5, 3],
      [1000, 25, 4],
    ]) {
      const planted = plantedHypergraph({ vertices, parts: k, nets: vertices * 6, seed, crossing: 0.02 })
      const result = partition({ ...base, hypergraph: planted.hypergraph, k, epsilons: [0.03], seed })
      expect(result.balanced).toBe(true)
      // Whole vertices: the share rounded up is allowed.
      expect(result.imbalance[0]).toBeLessThanOrEqual(
        Math.max(0.03, Math.ceil(vertices / k) / (vertices / k) - 1),
      )
      const plantedCost = objectivesOf(planted.hypergraph, k, planted.parts).km1
      expect(result.km1).toBeLessThanOrEqual(plantedCost * 1.1)
    }
  })

  it('keeps two constraints together', () => {
    const sites = siteHypergraph({ sites: 1500, seed: 9 })
    for (const k of [3, 12]) {
      const result = partition({ ...base, hypergraph: sites, k, epsilons: [0.05, 0.05] })
      expect(result.balanced).toBe(true)
      expect(result.heavyVertices).toHaveLength(0)
      for (const imbalance of result.imbalance) expect(imbalance).toBeLessThanOrEqual(0.05 + 1e-9)
    }
  })
})

describe('wishes', () => {
  const ring = (count: number): Hypergraph =>
    hypergraphOf(
      count,
      Array.from({ length: count }, (_, v) => [v, (v + 1) % count]),
      1,
      new Float64Array(count).fill(1),
    )

  it('shares of parts are kept', () => {
    const { hypergraph } = plantedHypergraph({ vertices: 1000, parts: 10, nets: 4000, seed: 5 })
    const targets = [0.5, 0.3, 0.2]
    const { parts, balanced } = partition({ ...base, hypergraph, k: 3, epsilons: [0.02], targets })
    expect(balanced).toBe(true)
    for (const [p, share] of targets.entries()) {
      const size = parts.filter(part => part === p).length
      expect(size).toBeLessThanOrEqual(1000 * share * 1.02)
    }
  })

  it('affinity decides where nets leave it open, and loses where they cost more', () => {
    const hypergraph = ring(20)
    const pull = (gain: number) =>
      partition({
        ...base,
        hypergraph,
        k: 2,
        epsilons: [0.1],
        affinity: {
          vertices: Uint32Array.of(0, 10),
          parts: Uint32Array.of(1, 0),
          gains: Float64Array.of(gain, gain),
        },
      })
    const strong = pull(5)
    expect([strong.parts[0], strong.parts[10], strong.km1]).toEqual([1, 0, 2])
    const disliked = pull(-5)
    expect([disliked.parts[0], disliked.parts[10], disliked.km1]).toEqual([0, 1, 2])
  })

  it('a part more moves little, a part less moves what was in it', () => {
    const hypergraph = siteHypergraph({ sites: 1200, seed: 3 })
    const request = { ...base, hypergraph, epsilons: [0.05, 0.05] }
    const before = partition({ ...request, k: 8 })
    const more = partition({ ...request, k: 9, previous: before.parts })
    expect(more.balanced).toBe(true)
    let pages = 0
    for (let v = 0; v < 1200; v++) pages += hypergraph.vertexWeights[2 * v + 1]
    expect(more.movedWeight[1]).toBeLessThan(0.2 * pages)
    expect(more.moved).toBeGreaterThan(0)
    expect(more.parts).toContain(8)
    const fewer = partition({ ...request, k: 7, previous: before.parts })
    expect(fewer.balanced).toBe(true)
    expect(fewer.movedWeight[1]).toBeLessThan(0.4 * pages)
  })

  it('a high price of moving keeps everything that may stay', () => {
    const hypergraph = siteHypergraph({ sites: 400, seed: 8 })
    const request = { ...base, hypergraph, k: 4, epsilons: [0.05, 0.05] }
    const before = partition(request)
    const after = partition({ ...request, seed: 5, previous: before.parts, migrationWeight: 1e6 })
    expect(after.moved).toBe(0)
  })

  it('a time limit that has passed still gives a whole partition', () => {
    const hypergraph = siteHypergraph({ sites: 800, seed: 2 })
    const clock = new ManualClock()
    const result = partition({
      hypergraph,
      k: 6,
      epsilons: [0.05, 0.05],
      preset: 'quality',
      seed: 1,
      timeLimitMs: 0,
      clock,
    })
    expect(new Set(result.parts).size).toBe(6)
    expect(result.balanced).toBe(true)
  })
})
