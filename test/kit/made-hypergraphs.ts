/** Hypergraphs made to order for tests and benchmarks: the same seed gives the same one. */
import { writeFileSync } from 'node:fs'
import { SeededRandom } from '../../src/model/index.js'
import type { Hypergraph } from '../../src/plan/partition/state/index.js'

export interface Planted {
  readonly hypergraph: Hypergraph
  /** The partition it was made around, balanced to within one vertex. */
  readonly parts: Int32Array
}

export interface PlantedKnobs {
  readonly vertices: number
  readonly parts: number
  readonly nets: number
  readonly seed: number
  /** Share of the nets that leave their part (0.05). */
  readonly crossing?: number
  /** Most pins of a net (6). */
  readonly pins?: number
}

/** Vertices of weight 1 dealt out evenly; nearly all nets stay within a part. */
export function plantedHypergraph(knobs: PlantedKnobs): Planted {
  const { vertices, parts: k, nets, seed, crossing = 0.05, pins: mostPins = 6 } = knobs
  const random = new SeededRandom(seed)
  const below = (bound: number): number => Math.floor(random.next() * bound)
  const order = shuffled(vertices, below)
  // The i-th vertex of the shuffled order is in part i mod k.
  const parts = new Int32Array(vertices)
  for (let i = 0; i < vertices; i++) parts[order[i]] = i % k
  const perPart = Math.floor(vertices / k)
  const lists = Array.from({ length: nets }, () => {
    const home = below(k)
    const leaves = random.next() < crossing
    const size = 2 + below(mostPins - 1)
    const net = Array.from({ length: size }, () =>
      leaves ? below(vertices) : order[below(perPart) * k + home],
    )
    return [...new Set(net)]
  })
  const weights = new Float64Array(vertices).fill(1)
  return { hypergraph: hypergraphOf(vertices, lists, 1, weights), parts }
}

export interface SiteKnobs {
  readonly sites: number
  readonly seed: number
  /** Pages with links to other sites, each a net (ten a site). */
  readonly pages?: number
  /** Sites that every community links to, as the big portals are (1 in 1,000). */
  readonly hubs?: number
}

/**
 * Sites and the links between them, as a crawl finds them: sizes follow a power law, most links stay in a
 * community, the pages of a site repeat each other's links, and a few hubs are linked from everywhere. A net
 * per page, its own site first; weights are bytes and pages.
 */
export function siteHypergraph(knobs: SiteKnobs): Hypergraph {
  const { sites, seed, pages = 10 * sites, hubs = Math.ceil(sites / 1_000) } = knobs
  const random = new SeededRandom(seed)
  const below = (bound: number): number => Math.floor(random.next() * bound)
  const links = Array.from({ length: sites }, (_, site) => linksOf(site, sites, hubs, random, below))
  const weights = new Float64Array(2 * sites)
  for (let site = 0; site < sites; site++) weights[2 * site + 1] = 1
  const lists: number[][] = []
  for (let page = 0; page < pages; page++) {
    const site = Math.floor(sites * random.next() ** POWER)
    const own = links[site]
    const count = Math.min(own.length, 1 + below(4))
    const from = below(own.length)
    const net = new Set([site])
    for (let i = 0; i < count; i++) net.add(own[(from + i) % own.length])
    weights[2 * site + 1]++
    lists.push([...net])
  }
  for (let site = 0; site < sites; site++) weights[2 * site] = weights[2 * site + 1] * (5_000 + below(20_000))
  return hypergraphOf(sites, lists, 2, weights)
}

/**
 * Site s has about s^-0.6 of the pages of the first: the largest of a thousand sites has a few percent of
 * all.
 */
const POWER = 2.5
const COMMUNITY = 40

/**
 * The sites that the pages of a site link to. Communities are interleaved, so that each has large and small
 * sites.
 */
function linksOf(
  site: number,
  sites: number,
  hubs: number,
  random: SeededRandom,
  below: (bound: number) => number,
): number[] {
  const communities = Math.max(1, Math.floor(sites / COMMUNITY))
  const links = new Set<number>()
  const wanted = Math.min(sites - 1, 3 + below(12))
  for (let tries = 0; links.size < wanted && tries < 100; tries++) {
    const kind = random.next()
    const near = (site % communities) + communities * below(COMMUNITY)
    const target = kind < 0.8 ? near : kind < 0.95 ? below(hubs) * communities : below(sites)
    if (target !== site && target < sites) links.add(target)
  }
  return links.size === 0 ? [(site + 1) % sites] : [...links]
}

export interface HeavyTailedKnobs {
  readonly vertices: number
  readonly constraints: number
  readonly seed: number
  /** Exponent of the tail: at 1 a few vertices weigh as much as all others, from 2 on none stands out. */
  readonly tail: number
  /** 1: a vertex is large in all constraints or in none; 0: each is drawn for itself. */
  readonly correlation: number
}

/**
 * Weights by a power law (Pareto), whole numbers from 1; small nets, most of them within blocks of 40
 * vertices.
 */
export function heavyTailedHypergraph(knobs: HeavyTailedKnobs): Hypergraph {
  const { vertices, constraints, seed, tail, correlation } = knobs
  const random = new SeededRandom(seed)
  const below = (bound: number): number => Math.floor(random.next() * bound)
  const pareto = (): number => (1 - random.next()) ** (-1 / tail)
  const weights = new Float64Array(vertices * constraints)
  for (let v = 0; v < vertices; v++) {
    const common = pareto() ** correlation
    for (let i = 0; i < constraints; i++)
      weights[v * constraints + i] = Math.ceil(
        10 * common * pareto() ** (1 - correlation) * (0.5 + random.next()),
      )
  }
  const lists = Array.from({ length: 4 * vertices }, () => {
    const source = below(vertices)
    const block = source - (source % COMMUNITY)
    const net = new Set([source])
    for (let pins = 1 + below(4); pins > 0; pins--)
      net.add(random.next() < 0.8 ? Math.min(vertices - 1, block + below(COMMUNITY)) : below(vertices))
    return [...net]
  })
  return hypergraphOf(vertices, lists, constraints, weights)
}

export function hypergraphOf(
  vertexCount: number,
  nets: readonly (readonly number[])[],
  constraintCount: number,
  vertexWeights: Float64Array,
  costs?: readonly number[],
): Hypergraph {
  const netOffsets = new Uint32Array(nets.length + 1)
  nets.forEach((net, e) => {
    netOffsets[e + 1] = netOffsets[e] + net.length
  })
  const pins = new Uint32Array(netOffsets[nets.length])
  nets.forEach((net, e) => {
    pins.set(net, netOffsets[e])
  })
  const netCosts = Float64Array.from({ length: nets.length }, (_, e) => costs?.[e] ?? 1)
  return { vertexCount, netCount: nets.length, netOffsets, pins, netCosts, constraintCount, vertexWeights }
}

/** As an hMETIS file with costs, the weights in a file of their own. */
export function writeHypergraph(file: string, hypergraph: Hypergraph, weightsFile?: string): void {
  const { netCount, vertexCount, netOffsets, pins, netCosts, constraintCount, vertexWeights } = hypergraph
  const rows = [`${netCount} ${vertexCount} 1`]
  for (let e = 0; e < netCount; e++) {
    const net = Array.from(pins.subarray(netOffsets[e], netOffsets[e + 1]), vertex => vertex + 1)
    rows.push(`${netCosts[e]} ${net.join(' ')}`)
  }
  writeFileSync(file, `${rows.join('\n')}\n`)
  if (weightsFile === undefined) return
  const weights = Array.from({ length: vertexCount }, (_, v) =>
    vertexWeights.subarray(v * constraintCount, (v + 1) * constraintCount).join(' '),
  )
  writeFileSync(weightsFile, `${weights.join('\n')}\n`)
}

function shuffled(count: number, below: (bound: number) => number): Int32Array {
  const order = Int32Array.from({ length: count }, (_, i) => i)
  for (let i = count - 1; i > 0; i--) {
    const j = below(i + 1)
    const kept = order[i]
    order[i] = order[j]
    order[j] = kept
  }
  return order
}
