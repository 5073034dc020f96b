/**
 * Which sites each site links to: how many by the degree law, larger sites mostly more; most of them near it on a ring
 * of sites, a share of them popular ones that are known everywhere.
 */
import { type Random, SeededRandom } from '../../../model/random.js'
import type { DataSet } from './data-sets.js'

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

export function siteLinks(set: DataSet, pages: Uint32Array): SiteLinks {
  const random = new SeededRandom(LINK_SEED)
  const degrees = degreesOf(set, pages, random)
  const offsets = new Uint32Array(set.sites + 1)
  for (let site = 0; site < set.sites; site++) offsets[site + 1] = offsets[site] + degrees[site]
  const targets = new Uint32Array(offsets[set.sites])
  const atPlace = shuffled(set.sites, random)
  const placeOf = new Uint32Array(set.sites)
  for (let place = 0; place < set.sites; place++) placeOf[atPlace[place]] = place
  const { far, popularity, spread } = set.targets
  const popular = new Popularity(set.sites, popularity, random)
  const takenBy = new Uint32Array(set.sites)
  for (let site = 0; site < set.sites; site++) {
    takenBy[site] = site + 1
    for (let at = offsets[site]; at < offsets[site + 1]; at++) {
      const near = () => nearby(placeOf[site], spread * degrees[site], atPlace, random)
      const draw = random.next() < far ? () => popular.draw(random) : near
      const target = fresh(draw, takenBy, site, random)
      takenBy[target] = site + 1
      targets[at] = target
    }
  }
  return { offsets, targets }
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

function nearby(place: number, most: number, atPlace: Uint32Array, random: Random): number {
  const steps = 1 + Math.floor(random.next() * (most + 1))
  const side = random.next() < 0.5 ? -steps : steps
  return atPlace[(place + side + atPlace.length) % atPlace.length]
}

const TRIES = 50

/** One that is not taken yet; after many tries anyone. */
function fresh(draw: () => number, takenBy: Uint32Array, site: number, random: Random): number {
  for (let tries = 0; ; tries++) {
    const target = tries < TRIES ? draw() : Math.floor(random.next() * takenBy.length)
    if (takenBy[target] !== site + 1) return target
  }
}

class Popularity {
  readonly #order: Uint32Array
  readonly #upTo: Float64Array

  constructor(sites: number, power: number, random: Random) {
    this.#order = shuffled(sites, random)
    this.#upTo = new Float64Array(sites)
    let sum = 0
    for (let rank = 0; rank < sites; rank++) this.#upTo[rank] = sum += (rank + 1) ** -power
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
    return this.#order[low]
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
