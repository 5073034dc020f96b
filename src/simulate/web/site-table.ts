/** Sites of the generated web: how large each is, what it is about, and which one a foreign link leads to. */
import { type Random, SeededRandom } from '../../model/index.js'
import { hashOf, Purpose } from './hash.js'
import { SITE_CHILDREN } from './out-links.js'

export interface SiteTableOptions {
  readonly sites: number
  readonly pages: number
  readonly seed: number
  readonly topics: number
  /** A foreign link stays within its topic this often. */
  readonly topicShare: number
  /**
   * Topics are branches of the tree of sites, so that the links which make all sites reachable stay within
   * them too.
   */
  readonly branches: boolean
  /** Share of all pages that the largest site has; raised where so few sites cannot have so little. */
  readonly largestShare: number
  /** Given sizes win over the power law. */
  readonly sizes?: readonly number[]
}

// Sums of a power law are exact up to this rank, an integral beyond: a million terms per trial would take
// seconds.
const EXACT_RANKS = 1_000

/** Typed arrays of one entry per site are all that is kept: a million sites take 20 MB. */
export class SiteTable {
  readonly #sizes: Uint32Array
  readonly #first: Float64Array
  readonly #topic: Uint16Array
  readonly #topicShare: number
  /** Sites ordered by topic; topic `t` owns [start[t], start[t + 1]). */
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

  /** Number of the site's home page when all pages of the web are counted through. */
  firstPage(site: number): number {
    return this.#first[site]
  }

  /** The site that page number `id` of the whole web belongs to. */
  siteOfPage(id: number): number {
    return lastAtMost(this.#first, id, 0, this.#sizes.length)
  }

  /** A site other than `site`, its topic and large sites preferred. Needs two sites at least. */
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

/**
 * The branch of a site in the tree below site 0, cut where it is wide enough for `topics`; those above are
 * dealt out.
 */
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

/** Index in [from, to) of the last entry that is not above `value`; `sorted[from]` must not be above it. */
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

/** Sizes r^-a, at least 1 each, summing to `pages` exactly; ranks are dealt to the sites at random. */
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
 * Shuffles all but the second largest, which becomes site 0: a crawl of the seed's host alone is worth a
 * look.
 */
function deal(sizes: Uint32Array, random: Random): void {
  if (sizes.length < 2) return
  swap(sizes, 0, 1)
  for (let i = sizes.length - 1; i > 1; i--) swap(sizes, i, 1 + Math.floor(random.next() * i))
}

function swap(array: Uint32Array, a: number, b: number): void {
  const kept = array[a]
  array[a] = array[b]
  array[b] = kept
}

/** The exponent at which the first of `sites` ranks has `cellFor` of the whole. */
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
