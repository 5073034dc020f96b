/** The sites of the generated web: sizes, topics, and targets of foreign links. */
import { type Random, SeededRandom } from '../../model/index.js'
import { hashOf, Purpose } from './hash.js'
import { SITE_CHILDREN } from './out-links.js'

export interface SiteTableOptions {
  readonly sites: number
  readonly pages: number
  readonly seed: number
  readonly topics: number
  /** The share of foreign links that stay within their topic. */
  readonly topicShare: number
  /** Topics are branches of the tree of sites, so that the links of the tree stay within them too. */
  readonly branches: boolean
  /** The share of the largest site in all pages; raised if there are too few sites for it. */
  readonly largestShare: number
  /** Replaces the power law. */
  readonly sizes?: readonly number[]
}

/**
 * Sums of a power law are exact up to this rank and an integral beyond: a million terms would take too long.
 */
const EXACT_RANKS = 1_000

/** Holds only typed arrays with an entry per site: a million sites take 20 MB. */
export class SiteTable {
  readonly #sizes: Uint32Array
  readonly #first: Float64Array
  readonly #topic: Uint16Array
  readonly #topicShare: number
  /** Sites in the order of topics; those of topic t are at [start[t], start[t + 1]). */
  readonly #byTopic: Uint32Array
  readonly #start: Uint32Array
  /** Running sum of popularity along `#byTopic`. */
  readonly #weight: Float64Array

  constructor(options: SiteTableOptions) {
    const { sites, seed, topics } = options
    this.#sizes = options.sizes ? Uint32Array.from(options.sizes) : powerLawSizes(options)
    this.#first = new Float64Array(sites + 1)
    this.#topic = new Uint16Array(sites)
    this.#topicShare = options.topicShare
    this.#start = new Uint32Array(topics + 1)
    for (let site = 0; site < sites; site++) {
      this.#first[site + 1] = this.#first[site] + this.#sizes[site]
      this.#topic[site] = options.branches
        ? branchOf(site, topics)
        : hashOf(seed, Purpose.topic, site, 0) % topics
      this.#start[this.#topic[site] + 1]++
    }
    for (let topic = 0; topic < topics; topic++) this.#start[topic + 1] += this.#start[topic]
    this.#byTopic = new Uint32Array(sites)
    const fill = Uint32Array.from(this.#start)
    for (let site = 0; site < sites; site++) this.#byTopic[fill[this.#topic[site]]++] = site
    this.#weight = new Float64Array(sites + 1)
    for (let i = 0; i < sites; i++) {
      this.#weight[i + 1] = this.#weight[i] + Math.sqrt(this.#sizes[this.#byTopic[i]])
    }
  }

  sizeOf(site: number): number {
    return this.#sizes[site]
  }

  topicOf(site: number): number {
    return this.#topic[site]
  }

  /** The number of the site's home page when all pages are numbered site by site. */
  firstPage(site: number): number {
    return this.#first[site]
  }

  /** Another site; the same topic and large sites are preferred. There must be two sites. */
  drawForeign(site: number, random: Random): number {
    for (let tries = 0; tries < 4; tries++) {
      const topic = this.#topic[site]
      const near = random.next() < this.#topicShare
      const from = near ? this.#start[topic] : 0
      const to = near ? this.#start[topic + 1] : this.#byTopic.length
      const at = this.#weight[from] + random.next() * (this.#weight[to] - this.#weight[from])
      const drawn = this.#byTopic[lastAtMost(this.#weight, at, from, to)]
      if (drawn !== site) return drawn
    }
    return (site + 1) % this.#sizes.length
  }
}

/** The branch of a site in the tree below site 0, at the first level with `topics` sites; modulo above it. */
function branchOf(site: number, topics: number): number {
  let first = 0
  let wide = 1
  while (wide < topics) {
    first += wide
    wide *= SITE_CHILDREN
  }
  let at = site
  while (at >= first + wide) at = Math.floor((at - 1) / SITE_CHILDREN)
  return (at < first ? at : at - first) % topics
}

/** The index in [from, to) of the last entry not above `value`; `sorted[from]` must not be above it. */
function lastAtMost(sorted: Float64Array, value: number, from: number, to: number): number {
  let low = from
  let high = to
  while (high - low > 1) {
    const middle = (low + high) >>> 1
    if (sorted[middle] <= value) low = middle
    else high = middle
  }
  return low
}

/** Sizes r^-a, at least 1 each, with the sum `pages`; sites have random ranks. */
function powerLawSizes({ sites, pages, seed, largestShare }: SiteTableOptions): Uint32Array {
  const extra = pages - sites
  const wanted = extra === 0 ? 1 : (largestShare * pages - 1) / extra
  const exponent = exponentFor(sites, Math.min(1, Math.max(1.5 / sites, wanted)))
  let total = 0
  for (let rank = 1; rank <= sites; rank++) total += rank ** -exponent
  const sizes = new Uint32Array(sites)
  let sum = 0
  let given = 0
  for (let rank = 1; rank <= sites; rank++) {
    sum += rank ** -exponent
    const upTo = rank === sites ? extra : Math.min(extra, Math.floor((sum / total) * extra))
    sizes[rank - 1] = 1 + upTo - given
    given = upTo
  }
  deal(sizes, new SeededRandom(hashOf(seed, Purpose.sizeOrder, 0, 0)))
  return sizes
}

/**
 * Shuffles all but the second largest, which becomes site 0, so that a crawl of the seed's host has many
 * pages.
 */
function deal(sizes: Uint32Array, random: Random): void {
  const swap = (a: number, b: number): void => {
    ;[sizes[a], sizes[b]] = [sizes[b], sizes[a]]
  }
  if (sizes.length > 1) swap(0, 1)
  for (let i = sizes.length - 1; i > 1; i--) swap(i, 1 + Math.floor(random.next() * i))
}

/** The exponent with which the first rank has this share of the whole. */
function exponentFor(sites: number, share: number): number {
  let low = 0
  let high = 16
  for (let step = 0; step < 50; step++) {
    const middle = (low + high) / 2
    if (1 / harmonic(sites, middle) < share) low = middle
    else high = middle
  }
  return (low + high) / 2
}

function harmonic(count: number, exponent: number): number {
  const exact = Math.min(count, EXACT_RANKS)
  let sum = 0
  for (let rank = 1; rank <= exact; rank++) sum += rank ** -exponent
  if (exact === count) return sum
  const from = exact + 0.5
  const to = count + 0.5
  if (Math.abs(exponent - 1) < 1e-9) return sum + Math.log(to / from)
  return sum + (to ** (1 - exponent) - from ** (1 - exponent)) / (1 - exponent)
}
