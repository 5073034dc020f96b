/**
 * Which sites each site links to: how many by the degree law, larger sites mostly more; a few of them to
 * sites that are popular in its country, all others near it. The same law for every data set: what a hash
 * does to a graph says nothing of where its links lead, so there was nothing to fit it to
 * (docs/explanation/experiments/hypergraph.md).
 */
import { type Random, SeededRandom } from '../../src/model/index.js'
import type { DataSet } from './data-sets.js'
import { SiteBlocks } from './site-blocks.js'

/** Targets of site s: targets[offsets[s] .. offsets[s + 1]), all different, none s itself. */
export interface SiteLinks {
  readonly offsets: Uint32Array
  readonly targets: Uint32Array
}

/** How much chance there is in which site has more links, beside its size; both in logarithms. */
const DEGREE_NOISE = 2
/** No site knows more than this share of all sites. */
const MOST_KNOWN = 0.1
const LINK_SEED = 1
/** A site that links to others names a popular one this often on average, the same one twice perhaps. */
const POPULAR_LINKS = 2
/** Popularity falls with this power of the rank. */
const POPULARITY = 2
/**
 * Other links stay in the block that has room for all of the site's, or leave it for the one around it with
 * this chance, and so on.
 */
const LEAVING = 0.25
/** In a block; then there is hardly anyone left in it, and the next one is looked at. */
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

/** Who is where, who is popular, and whom the site in turn knows already. */
class Web {
  readonly #random: Random
  /** Where each country begins in the row of sites, and where the last one ends. */
  readonly #edges: readonly number[]
  readonly #atPlace: Uint32Array
  readonly #placeOf: Uint32Array
  readonly #blocks: SiteBlocks
  readonly #popular: readonly Popularity[]
  readonly #knownTo: Uint32Array
  #site = 0
  #place = 0
  #home = 0

  constructor({ sites, countries }: DataSet, random: Random) {
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

  /** Null when it is one that the site knows. */
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

/** The degrees are exactly those of the law; chance only says whose they are. */
function degreesOf({ sites, degrees }: DataSet, pages: Uint32Array, random: Random): Uint32Array {
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

/** Of the places `from` to `to`, in an order of its own. */
class Popularity {
  readonly from: number
  readonly #order: Uint32Array
  readonly #upTo: Float64Array

  constructor(from: number, to: number, power: number, random: Random) {
    this.from = from
    this.#order = shuffled(to - from, random)
    this.#upTo = new Float64Array(to - from)
    let sum = 0
    for (let rank = 0; rank < to - from; rank++) this.#upTo[rank] = sum += (rank + 1) ** -power
  }

  draw(random: Random): number {
    const wanted = random.next() * this.#upTo[this.#upTo.length - 1]
    let low = 0
    let high = this.#upTo.length - 1
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#upTo[middle] > wanted) high = middle
      else low = middle + 1
    }
    return this.from + this.#order[low]
  }
}

function shuffled(count: number, random: Random): Uint32Array {
  const order = Uint32Array.from({ length: count }, (_, i) => i)
  for (let i = count - 1; i > 0; i--) {
    const j = Math.floor(random.next() * (i + 1))
    const other = order[j]
    order[j] = order[i]
    order[i] = other
  }
  return order
}

function gaussian(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next())
}
