import { describe, expect, it } from 'vitest'
import { DATA_SETS, type DataSet, PART_COUNTS } from './data-sets.js'
import { hashParts, siteHashes } from './hash-parts.js'
import { EPSILON, isBalanced, judged, ours } from './measure.js'
import { type SiteGraph, siteGraph } from './site-graph.js'
import { starGraph } from './star-graph.js'
import { countsOf } from './tables.js'

/** Made once: the largest has two million nets. */
const graphs = new Map<string, SiteGraph>()

function graphOf(set: DataSet): SiteGraph {
  const graph = graphs.get(set.name) ?? siteGraph(set)
  graphs.set(set.name, graph)
  return graph
}

describe.each(DATA_SETS)('the site graph of $name', set => {
  it('has exactly the pages, sites, links, nets and pins of Table 1', () => {
    const { pages, sites, nets, pins, links, intraPercent } = set
    const counts = countsOf(graphOf(set))
    expect({ ...counts, intraPercent: Number(counts.intraPercent.toFixed(2)) }).toEqual({
      pages,
      sites,
      nets,
      pins,
      links,
      intraPercent,
    })
  })

  it('by hash has the messages and the imbalance of Table 2, within 10 %', () => {
    const hashes = siteHashes(set.sites)
    PART_COUNTS.forEach((k, i) => {
      const { coalescedMessages, imbalance } = judged(graphOf(set), k, hashParts(hashes, k))
      expect(coalescedMessages / 1_000 / set.paper.hashThousands[i]).toBeGreaterThan(0.9)
      expect(coalescedMessages / 1_000 / set.paper.hashThousands[i]).toBeLessThan(1.1)
      expect((100 * imbalance[1]) / set.paper.hashImbalancePercent[i]).toBeGreaterThan(0.9)
      expect((100 * imbalance[1]) / set.paper.hashImbalancePercent[i]).toBeLessThan(1.1)
    })
  })

  it('has nets of different sites, and no site without a page for each of its nets', () => {
    const { byPage } = graphOf(set)
    const nets = new Uint32Array(set.sites)
    const seenBy = new Uint32Array(set.sites)
    for (let net = 0; net < byPage.netCount; net++) {
      nets[byPage.pins[byPage.netOffsets[net]]]++
      for (let at = byPage.netOffsets[net]; at < byPage.netOffsets[net + 1]; at++) {
        if (seenBy[byPage.pins[at]] === net + 1) throw new Error(`net ${net} names a site twice`)
        seenBy[byPage.pins[at]] = net + 1
      }
    }
    expect(nets.every((count, site) => count <= byPage.vertexWeights[2 * site + 1])).toBe(true)
  })
})

describe('our partitions', () => {
  it('of in-2004 into 8 parts: both weights within 5 %, fewer messages than the paper had', () => {
    const set = DATA_SETS.find(each => each.name === 'in-2004')!
    const graph = graphOf(set)
    const hash = judged(graph, 8, hashParts(siteHashes(set.sites), 8))
    const cell = ours(graph, 'bySite', 8, 'default', 1)
    expect(Math.max(...cell.imbalance)).toBeLessThanOrEqual(EPSILON + 1e-9)
    const at = PART_COUNTS.indexOf(8)
    const paper = set.paper.hashThousands[at] / set.paper.hpThousands[at]
    expect(hash.coalescedMessages / cell.coalescedMessages).toBeGreaterThan(paper)
  })

  it('of google into 64 parts: bytes at the bound of one heavy site, pages within 5 % all the same', () => {
    const cell = ours(graphOf(DATA_SETS[0]), 'bySite', 64, 'fast', 1)
    expect(isBalanced(cell)).toBe(true)
    expect(cell.imbalance[0]).toBeCloseTo(cell.bound[0])
    expect(cell.imbalance[0]).toBeGreaterThan(0.4)
    expect(cell.imbalance[1]).toBeLessThanOrEqual(EPSILON + 1e-9)
  })
})

describe('a graph for partitioners that know no nets', () => {
  it('has each link on both sides, with the number of pages that have it', () => {
    const { offsets, neighbours, edgeWeights } = starGraph({
      vertexCount: 3,
      netCount: 3,
      netOffsets: Uint32Array.of(0, 2, 4, 6),
      pins: Uint32Array.of(0, 1, 1, 0, 1, 2),
      netCosts: Float64Array.of(1, 1, 1),
      constraintCount: 1,
      vertexWeights: Float64Array.of(1, 1, 1),
    })
    expect([...offsets]).toEqual([0, 1, 3, 4])
    expect([...neighbours]).toEqual([1, 0, 2, 1])
    expect([...edgeWeights]).toEqual([2, 2, 1, 1])
  })
})
