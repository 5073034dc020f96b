/** Counts of the generated web's server: requests, and those that a good crawler would not have sent. */
import type { Place } from './page-path.js'
import type { WebPlan } from './web-plan.js'

export interface WebCounts {
  readonly connections: number
  readonly requests: number
  readonly bytes: number
  /** Distinct pages and objects answered with 200 or 304; after a full crawl the size of `truth`. */
  readonly covered: number
  /** Requests for pages and objects that were covered before. */
  readonly repeats: number
  readonly notModified: number
  readonly redirects: number
  /** 404s to which links lead. */
  readonly gone: number
  /** Requests for what robots.txt forbids. */
  readonly violations: number
  /** Requests for URLs in pages that are not links. */
  readonly decoys: number
  /** 404s for URLs that are on no page: a link was resolved wrongly. */
  readonly strays: number
  readonly failed: number
  readonly dropped: number
  readonly badRequests: number
  /** Requests for robots.txt, sitemaps and page requisites. */
  readonly others: number
}

type Counter = { -readonly [name in keyof WebCounts]: number }

const NAMES = (
  'connections requests bytes covered repeats notModified redirects gone violations decoys strays failed ' +
  'dropped badRequests others'
).split(' ') as (keyof WebCounts)[]

/** The counter of each kind of place; pages and objects are counted in `#cover`. */
const COUNTED = {
  alias: 'redirects',
  'alias-step': 'redirects',
  forbidden: 'violations',
  gone: 'gone',
  decoy: 'decoys',
  stray: 'strays',
  robots: 'others',
  sitemap: 'others',
  requisite: 'others',
} as const satisfies Record<Exclude<Place['is'], 'page' | 'object'>, keyof WebCounts>

/** What the server counts. Covered pages take one byte each, allocated at the first request to their site. */
export class Tally {
  readonly #plan: WebPlan
  readonly #covered = new Map<number, Uint8Array>()
  readonly #counts = Object.fromEntries(NAMES.map(name => [name, 0])) as Counter

  constructor(plan: WebPlan) {
    this.#plan = plan
  }

  counts(): WebCounts {
    return { ...this.#counts }
  }

  add(name: 'connections' | 'requests' | 'badRequests' | 'failed' | 'dropped'): void {
    this.#counts[name]++
  }

  answered(site: number, place: Place, status: number, bytes: number, method: string): void {
    this.#counts.bytes += bytes
    if (status === 304) this.#counts.notModified++
    if (place.is !== 'page' && place.is !== 'object') this.#counts[COUNTED[place.is]]++
    else if (method === 'GET')
      this.#cover(site, place.is === 'page' ? place.number : this.#plan.sizeOf(site) + place.number)
  }

  #cover(site: number, index: number): void {
    let covered = this.#covered.get(site)
    if (covered === undefined) {
      covered = new Uint8Array(this.#plan.sizeOf(site) + this.#plan.objectsOf(site))
      this.#covered.set(site, covered)
    }
    if (covered[index] === 1) this.#counts.repeats++
    else this.#counts.covered++
    covered[index] = 1
  }
}
