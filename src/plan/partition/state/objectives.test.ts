import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { hypergraphOf, siteHypergraph, writeHypergraph } from '../../../../test/kit/made-hypergraphs.js'
import { checkPartition } from '../check/index.js'
import type { Hypergraph } from './hypergraph.js'
import { affinityOf, imbalanceBoundOf, imbalanceOf, movedOf, objectivesOf } from './objectives.js'

const folder = mkdtempSync(join(tmpdir(), 'orbweaver-figures-'))
afterAll(() => rmSync(folder, { recursive: true }))

interface Case {
  readonly hypergraph: Hypergraph
  readonly k: number
  readonly parts: Int32Array
  readonly groups: Int32Array
  readonly previous: Int32Array
  readonly shares: readonly number[]
}

/** Both judges on the same files; pinned is every other vertex, where it is. */
function expectAgreement({ hypergraph, k, parts, groups, previous, shares }: Case): void {
  const file = join(folder, 'a.hgr')
  const weights = join(folder, 'a.vw')
  writeHypergraph(file, hypergraph, weights)
  const write = (name: string, values: ArrayLike<number | string>): string => {
    writeFileSync(join(folder, name), Array.from(values).join('\n'))
    return join(folder, name)
  }
  const fixed = parts.map((part, v) => (v % 2 === 0 ? part : -1))
  // Every vertex wishes for its part before; it is worth more to later ones.
  const affinity = {
    vertices: Uint32Array.from(parts.keys()),
    parts: Uint32Array.from(previous, part => Math.max(0, part) % k),
    gains: Float64Array.from(parts.keys(), v => v - 2),
  }
  const wishes = Array.from(parts, (_, v) => `${v + 1} ${affinity.parts[v]} ${affinity.gains[v]}`)
  const checked = checkPartition({
    file,
    partFile: write('parts', parts),
    k,
    weights,
    targets: write('targets', shares),
    fixed: write('fixed', fixed),
    groups: write('groups', groups),
    previous: write('previous', previous),
    affinity: write('affinity', wishes),
  })
  const request = { hypergraph, k, previous, epsilons: [], preset: 'fast', seed: 1 } as const
  const total = shares.reduce((sum, share) => sum + share, 0)
  const scaled = shares.map(share => share / total)
  expect({ ...checked, emptyParts: 0 }).toEqual({
    k,
    ...objectivesOf(hypergraph, k, parts),
    imbalance: imbalanceOf(hypergraph, parts, scaled),
    imbalanceBound: imbalanceBoundOf(hypergraph, scaled, fixed, groups),
    affinity: affinityOf({ ...request, affinity }, parts),
    ...movedOf(request, parts),
    emptyParts: 0,
  })
}

describe('the figures of a partition', () => {
  it('are those of the checker, which shares no code with them, on any hypergraph', () => {
    const vertices = 12
    const net = fc.uniqueArray(fc.nat(vertices - 1), { minLength: 1, maxLength: 6 })
    const column = (most: number) => fc.array(fc.nat(most), { minLength: vertices, maxLength: vertices })
    fc.assert(
      fc.property(
        fc.array(net, { maxLength: 25 }),
        fc.array(fc.nat(9), { minLength: 25, maxLength: 25 }),
        fc.array(fc.nat(1_000), { minLength: 2 * vertices, maxLength: 2 * vertices }),
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 }),
        column(4),
        column(6),
        (nets, costs, weights, shares, parts, previous) => {
          const k = shares.length
          const own = Int32Array.from(parts, part => part % k)
          expectAgreement({
            hypergraph: hypergraphOf(vertices, nets, 2, Float64Array.from(weights), costs),
            k,
            parts: own,
            // Some vertices of a part make a group.
            groups: own.map((part, v) => (v % 3 === 0 ? part : -1)),
            previous: Int32Array.from(previous, part => part - 1),
            shares,
          })
        },
      ),
      { numRuns: 60 },
    )
  })

  it('are those of the checker on a web of sites with hubs', () => {
    const hypergraph = siteHypergraph({ sites: 300, seed: 3 })
    const parts = Int32Array.from({ length: 300 }, (_, v) => (v * 7) % 5)
    const groups = new Int32Array(300).fill(-1)
    expectAgreement({
      hypergraph,
      k: 5,
      parts,
      groups,
      previous: parts.map(p => p + 1),
      shares: [1, 1, 1, 1, 1],
    })
  })

  it('leave out the parts of heavy vertices where that is asked', () => {
    const weights = Float64Array.from([10, 1, 1, 2])
    const hypergraph = hypergraphOf(4, [], 1, weights)
    const parts = Int32Array.from([0, 1, 1, 2])
    const third = [1 / 3, 1 / 3, 1 / 3]
    expect(imbalanceOf(hypergraph, parts, third)[0]).toBeCloseTo(30 / 14 - 1)
    expect(imbalanceOf(hypergraph, parts, third, new Set([0]))[0]).toBeCloseTo(6 / 14 - 1)
  })

  it('say what more vertices than parts force: 50 equal ones in 7 parts, one of which has 8', () => {
    const hypergraph = hypergraphOf(50, [], 1, new Float64Array(50).fill(3))
    expect(imbalanceBoundOf(hypergraph, new Array<number>(7).fill(1 / 7))[0]).toBeCloseTo(8 / (50 / 7) - 1)
    const uneven = hypergraphOf(5, [], 1, Float64Array.from([10, 9, 8, 7, 1]))
    // Of the four heaviest two are together: 7 and 8 at best, where 35 / 3 is even.
    expect(imbalanceBoundOf(uneven, [1 / 3, 1 / 3, 1 / 3])[0]).toBeCloseTo(15 / (35 / 3) - 1)
  })

  it('are 0 where nothing weighs anything', () => {
    const hypergraph = hypergraphOf(2, [[0, 1]], 1, new Float64Array(2))
    expect(imbalanceOf(hypergraph, Int32Array.from([0, 0]), [0.5, 0.5])).toEqual([0])
    expect(imbalanceBoundOf(hypergraph, [0.5, 0.5])).toEqual([0])
  })
})
