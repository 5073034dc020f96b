/** Makes the site graph of a data set; always the same, down to the last pin. */
import { SeededRandom } from '../../src/model/index.js'
import type { Hypergraph } from '../../src/plan/partition/state/index.js'
import type { DataSet } from './data-sets.js'
import { type PageNets, pageNets } from './page-nets.js'
import { type SiteLinks, siteLinks } from './site-links.js'
import { dealt, gaussian, sortedSizes } from './site-sizes.js'

export interface SiteGraph {
  /** A net of cost 1 for each page with links to other sites. Weights: bytes and pages. */
  readonly byPage: Hypergraph
  /** A net of cost 1 for each site with such links: its km1 is the number of coalesced messages. */
  readonly bySite: Hypergraph
  /** For each pin, the number of links of the page to that site; 0 for its own site. */
  readonly linksOut: Uint32Array
  /** For each site, the number of links between its pages. */
  readonly linksWithin: Uint32Array
}

const BYTE_SEED = 3
/** The mean size of a site's pages: lognormal, the median 8 KB. */
const MEDIAN_BYTES = 8_192
const BYTE_SPREAD = 0.7

export function siteGraph(set: DataSet): SiteGraph {
  const pages = dealt(sortedSizes(set.sites, set.pages, set.sizes), set.sizeSeed)
  const links = siteLinks(set, pages)
  const weights = weightsOf(set, pages)
  const nets = pageNets(set, pages, links)
  return {
    byPage: hypergraph(set.sites, nets, weights),
    bySite: hypergraph(set.sites, siteNets(links), weights),
    linksOut: linksOut(set, nets),
    linksWithin: linksWithin(set, pages),
  }
}

function linksWithinAll({ links, intraPercent }: DataSet): number {
  return Math.round((links * intraPercent) / 100)
}

/** Divides the links evenly among the pins; the remainder goes to the first ones. */
function linksOut(set: DataSet, { offsets, pins }: PageNets): Uint32Array {
  const wanted = set.links - linksWithinAll(set)
  const pairs = set.pins - set.nets
  const each = Math.floor(wanted / pairs)
  let over = wanted - each * pairs
  const counts = new Uint32Array(pins.length)
  for (let net = 0; net < set.nets; net++)
    for (let at = offsets[net] + 1; at < offsets[net + 1]; at++) counts[at] = each + (over-- > 0 ? 1 : 0)
  return counts
}

/** In proportion to the pages of each site. */
function linksWithin(set: DataSet, pages: Uint32Array): Uint32Array {
  const wanted = linksWithinAll(set)
  const counts = new Uint32Array(set.sites)
  let before = 0
  for (let site = 0; site < set.sites; site++) {
    const from = Math.round((wanted * before) / set.pages)
    before += pages[site]
    counts[site] = Math.round((wanted * before) / set.pages) - from
  }
  return counts
}

function weightsOf({ sites, knowsBytes }: DataSet, pages: Uint32Array): Float64Array {
  const random = new SeededRandom(BYTE_SEED)
  const weights = new Float64Array(2 * sites)
  for (let site = 0; site < sites; site++) {
    const normal = gaussian(random)
    const pageBytes = knowsBytes ? MEDIAN_BYTES * Math.exp(BYTE_SPREAD * normal) : 1
    weights[2 * site] = Math.round(pages[site] * pageBytes)
    weights[2 * site + 1] = pages[site]
  }
  return weights
}

function siteNets({ offsets, targets }: SiteLinks): PageNets {
  const made: number[] = [0]
  const pins = new Uint32Array(targets.length + offsets.length)
  let at = 0
  for (let site = 0; site + 1 < offsets.length; site++) {
    if (offsets[site] === offsets[site + 1]) continue
    pins[at++] = site
    pins.set(targets.subarray(offsets[site], offsets[site + 1]), at)
    at += offsets[site + 1] - offsets[site]
    made.push(at)
  }
  return { offsets: Uint32Array.from(made), pins: pins.slice(0, at) }
}

function hypergraph(
  vertexCount: number,
  { offsets, pins }: PageNets,
  vertexWeights: Float64Array,
): Hypergraph {
  const netCount = offsets.length - 1
  return {
    vertexCount,
    netCount,
    netOffsets: offsets,
    pins,
    netCosts: new Float64Array(netCount).fill(1),
    constraintCount: 2,
    vertexWeights,
  }
}
