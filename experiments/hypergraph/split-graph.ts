/**
 * A site graph in which sites heavier than a part are split by path, as a crawl does it
 * (`plan/assign/learned/cut-web.ts`): the pieces divide the pages in the order of their paths. Where links
 * inside a site lead is unknown, so they lead anywhere in it, which costs most messages: a page with links to
 * other pieces is a net like one with links to other sites.
 */

import { SeededRandom } from '../../src/model/index.js'
import { heavySitesOf, NetList } from '../../src/plan/assign/learned/index.js'
import type { Hypergraph } from '../../src/plan/partition/state/index.js'
import type { SiteGraph } from './site-graph.js'

export interface SplitGraph extends Pick<SiteGraph, 'byPage' | 'bySite'> {
  readonly splitSites: number
  readonly cells: number
}

interface Split {
  /** Vertex of its first piece; the others follow. */
  readonly first: number
  readonly pieces: number
  readonly pages: number
  readonly linksWithin: number
}

const LINK_SEED = 4

/** Null if no site is heavier than a part. */
export function splitGraph(graph: SiteGraph, k: number): SplitGraph | null {
  const { vertexCount, vertexWeights } = graph.byPage
  const sites = Array.from({ length: vertexCount }, (_, site) => ({
    site: String(site),
    bytes: vertexWeights[2 * site],
    pages: vertexWeights[2 * site + 1],
  }))
  const heavy = heavySitesOf(sites, new Array<number>(k).fill(1))
  if (heavy.length === 0) return null
  let count = vertexCount - heavy.length
  const splits = new Map<number, Split>()
  for (const { site, pieces } of heavy) {
    const { pages } = sites[Number(site)]
    splits.set(Number(site), { first: count, pieces, pages, linksWithin: graph.linksWithin[Number(site)] })
    count += pieces
  }
  const places = placesOf(vertexCount, splits)
  const weights = splitWeights(vertexWeights, places, splits, count)
  const byPage = splitNets(graph, places, splits).hypergraph(weights, 2)
  const cells = heavy.reduce((sum, { pieces }) => sum + pieces, 0)
  return {
    byPage,
    bySite: siteNets(byPage).hypergraph(weights, 2),
    splitSites: heavy.length,
    cells,
  }
}

type Places = Int32Array

/** Vertices of the sites that stay whole; -1 for the others. */
function placesOf(count: number, splits: ReadonlyMap<number, Split>): Places {
  let place = 0
  return Int32Array.from({ length: count }, (_, site) => (splits.has(site) ? -1 : place++))
}

function splitWeights(
  weights: Float64Array,
  places: Places,
  splits: ReadonlyMap<number, Split>,
  count: number,
): Float64Array {
  const found = new Float64Array(2 * count)
  for (const [site, place] of places.entries()) {
    const split = splits.get(site)
    const own = weights.subarray(2 * site, 2 * site + 2)
    if (split === undefined) found.set(own, 2 * place)
    else
      for (let piece = 0; piece < split.pieces; piece++)
        found.set(
          own.map(weight => weight / split.pieces),
          2 * (split.first + piece),
        )
  }
  return found
}

/**
 * The pages with nets are spread evenly over a split site; its other pages only have links inside the site.
 */
function splitNets(
  { byPage, linksOut }: SiteGraph,
  places: Places,
  splits: ReadonlyMap<number, Split>,
): NetList {
  const { netCount, netOffsets, pins } = byPage
  const random = new SeededRandom(LINK_SEED)
  const nets = new NetList()
  const own = new Map<number, number[]>([...splits.keys()].map(site => [site, []]))
  /** The targets without the source. Several links of a page to a split site may lead to several pieces. */
  const targetsOf = (net: number): Set<number> => {
    const found = new Set<number>()
    for (let at = netOffsets[net] + 1; at < netOffsets[net + 1]; at++) {
      const split = splits.get(pins[at])
      if (split === undefined) found.add(places[pins[at]])
      else for (let i = 0; i < linksOut[at]; i++) found.add(drawn(split, random))
    }
    return found
  }
  for (let net = 0; net < netCount; net++) {
    const source = pins[netOffsets[net]]
    if (splits.has(source)) own.get(source)!.push(net)
    else nets.add([places[source], ...targetsOf(net)], 1)
  }
  for (const [site, split] of splits) {
    const linked = own.get(site)!
    for (let page = 0; page < split.pages; page++) {
      const at = Math.ceil((page * linked.length) / split.pages)
      const isLinked = at < Math.ceil(((page + 1) * linked.length) / split.pages)
      const targets = isLinked ? targetsOf(linked[at]) : new Set<number>()
      for (let i = linksOn(split, page); i > 0; i--) targets.add(drawn(split, random))
      nets.add([split.first + Math.floor((page * split.pieces) / split.pages), ...targets], 1)
    }
  }
  return nets
}

function drawn({ first, pieces }: Split, random: SeededRandom): number {
  return first + Math.floor(random.next() * pieces)
}

/** The number of links of a page inside its site. */
function linksOn({ pages, linksWithin }: Split, page: number): number {
  return Math.floor(((page + 1) * linksWithin) / pages) - Math.floor((page * linksWithin) / pages)
}

/** A net for each site or piece with links to others: its km1 is the number of coalesced messages. */
function siteNets({ netCount, netOffsets, pins }: Hypergraph): NetList {
  const targets = new Map<number, Set<number>>()
  for (let net = 0; net < netCount; net++) {
    const source = pins[netOffsets[net]]
    const own = targets.get(source) ?? new Set([source])
    targets.set(source, own)
    for (let at = netOffsets[net] + 1; at < netOffsets[net + 1]; at++) own.add(pins[at])
  }
  const nets = new NetList()
  for (const own of targets.values()) nets.add(own, 1)
  return nets
}
