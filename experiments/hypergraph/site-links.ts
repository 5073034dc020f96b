/**
 * The sites that each site links to. Their number follows the degree law; larger sites mostly have more. A
 * few of them are popular in its country, all others are near it. All data sets use the same law for the
 * targets: figures of a hash do not depend on them, so there was nothing to fit
 * (docs/explanation/experiments/hypergraph.md).
 */
import { firstIndex, SeededRandom } from '../../src/model/index.js'
import { shuffled } from '../../src/plan/partition/state/index.js'
import type { DataSet } from './data-sets.js'
import { SiteBlocks } from './site-blocks.js'
import { gaussian } from './site-sizes.js'

/** The targets of site s are targets[offsets[s] .. offsets[s + 1]): distinct, and not s itself. */
export interface SiteLinks {
  readonly offsets: Uint32Array
  readonly targets: Uint32Array
}

/** The influence of chance on the number of a site's links, against that of its size, both in logarithms. */
const DEGREE_NOISE = 2
/** No site links to more than this share of all sites. */
const MOST_KNOWN = 0.1
const LINK_SEED = 1
/** Mean number of links to popular sites, of a site with links; two of them may be the same. */
const POPULAR_LINKS = 2
/** Popularity falls with this power of the rank. */
const POPULARITY = 2
/**
 * Other links stay in the smallest block with enough sites; with this chance each goes to the block around
 * it.
 */
const LEAVING = 0.25
/**
 * Tries in a block before the block around it is used, because nearly all of its sites are linked already.
 */
const TRIES = 8

export function siteLinks(set: DataSet, pages: Uint32Array): SiteLinks {
  const random = new SeededRandom(LINK_SEED)
  const degrees = degreesOf(set, pages, random)
  const offsets = new Uint32Array(set.sites + 1)
  for (let site = 0; site < set.sites; site++) offsets[site + 1] = offsets[site] + degrees[site]
  const targets = new Uint32Array(offsets[set.sites])
  const web = new Web(set, random)
  const linking = degrees.filter(degree => degree > 0).length
  const popular = (POPULAR_LINKS * linking) / targets.length
  for (let site = 0; site < set.sites; site++) {
    web.turnTo(site, degrees[site])
    for (let at = offsets[site]; at < offsets[site + 1]; at++)
      targets[at] = (random.next() < popular ? web.popular() : null) ?? web.nearby()
  }
  return { offsets, targets }
}

/** Places and popularity of all sites, and the links of the current site. */
class Web {
  readonly #random: SeededRandom
  /** The first place of each country, and the end of the last one. */
  readonly #edges: readonly number[]
  readonly #atPlace: Int32Array
  readonly #placeOf: Uint32Array
  readonly #blocks: SiteBlocks
  readonly #popular: readonly Popularity[]
  readonly #knownTo: Uint32Array
  #site = 0
  #place = 0
  #home = 0

  constructor({ sites, countries }: DataSet, random: SeededRandom) {
    this.#random = random
    this.#edges = edgesOf(sites, countries)
    this.#atPlace = shuffled(sites, random)
    this.#placeOf = new Uint32Array(sites)
    for (let place = 0; place < sites; place++) this.#placeOf[this.#atPlace[place]] = place
    this.#blocks = new SiteBlocks(this.#edges, random)
    this.#popular = this.#edges
      .slice(1)
      .map((end, country) => new Popularity(this.#edges[country], end, POPULARITY, random))
    this.#knownTo = new Uint32Array(sites).fill(sites)
  }

  turnTo(site: number, degree: number): void {
    this.#site = site
    this.#place = this.#placeOf[site]
    this.#home = this.#blocks.withRoom(this.#place, degree + 1)
    this.#knownTo[site] = site
  }

  /** Null if the site already has a link to the drawn one. */
  popular(): number | null {
    const country = this.#popular.findLast(({ from }) => from <= this.#place)!
    return this.#taken(country.draw(this.#random))
  }

  nearby(): number {
    const { from, to, around } = this.#blocks
    let block = this.#home
    while (around[block] >= 0 && this.#random.next() < LEAVING) block = around[block]
    for (let tries = 1; ; tries++) {
      const place = from[block] + Math.floor(this.#random.next() * (to[block] - from[block]))
      const site = this.#taken(place)
      if (site !== null) return site
      if (tries % TRIES === 0 && around[block] >= 0) block = around[block]
    }
  }

  #taken(place: number): number | null {
    const site = this.#atPlace[place]
    if (this.#knownTo[site] === this.#site) return null
    this.#knownTo[site] = this.#site
    return site
  }
}

/** The second country has half the sites of the first, the third a third, and so on. */
function edgesOf(sites: number, countries: number): number[] {
  const upTo = [0]
  for (let country = 1; country <= countries; country++) upTo.push(upTo[country - 1] + 1 / country)
  return upTo.map(sum => Math.round((sites * sum) / upTo[countries]))
}

/** The degrees are exactly those of the law; chance decides which site has which. */
function degreesOf({ sites, degrees }: DataSet, pages: Uint32Array, random: SeededRandom): Uint32Array {
  const keys = Float64Array.from(pages, size => Math.log(size) + DEGREE_NOISE * gaussian(random))
  const order = Uint32Array.from(keys.keys()).sort((a, b) => keys[b] - keys[a])
  const linking = Math.round(degrees.linking * sites)
  const most = Math.floor(MOST_KNOWN * sites)
  const found = new Uint32Array(sites)
  for (let rank = 0; rank < linking; rank++) {
    const above = (rank + 0.5) / linking
    const degree = 1 + Math.floor(degrees.scale * (above ** (-1 / degrees.exponent) - 1))
    found[order[rank]] = Math.min(degree, most)
  }
  return found
}

/** Draws from the places `from` to `to`, which have random ranks. */
class Popularity {
  readonly from: number
  readonly #order: Int32Array
  readonly #upTo: Float64Array

  constructor(from: number, to: number, power: number, random: SeededRandom) {
    this.from = from
    this.#order = shuffled(to - from, random)
    this.#upTo = new Float64Array(to - from)
    let sum = 0
    for (let rank = 0; rank < to - from; rank++) this.#upTo[rank] = sum += (rank + 1) ** -power
  }

  draw(random: SeededRandom): number {
    const wanted = random.next() * this.#upTo[this.#upTo.length - 1]
    const last = this.#upTo.length - 1
    return this.from + this.#order[firstIndex(last, i => this.#upTo[i] > wanted)]
  }
}
