/**
 * What the generated web's server counts: how much was asked, and what a good crawler would not have asked.
 */
import type { Place } from './page-path.js'
import type { WebPlan } from './web-plan.js'

export interface WebCounts {
  readonly connections: number
  readonly requests: number
  readonly bytes: number
  /** Distinct pages and objects answered with 200 or 304: equals the size of `truth` after a full crawl. */
  readonly covered: number
  /** Requests for a page or object that had been answered with 200 or 304 before. */
  readonly repeats: number
  readonly notModified: number
  readonly redirects: number
  /** 404s to which links lead. */
  readonly gone: number
  /** Requests for what robots.txt forbids. */
  readonly violations: number
  /** Requests for addresses that stand on pages but are not links. */
  readonly decoys: number
  /** 404s that stand nowhere: a link was resolved wrongly. */
  readonly strays: number
  readonly failed: number
  readonly dropped: number
  readonly badRequests: number
  /** Requests for robots.txt, sitemaps and page requisites. */
  readonly others: number
}

type Counter = { -readonly [name in keyof WebCounts]: number }

/** One byte a page, allocated for a site when it is first visited. */
export class Tally {
  readonly #plan: WebPlan
  readonly #covered = new Map<number, Uint8Array>()
  readonly #counts: Counter = {
    connections: 0,
    requests: 0,
    bytes: 0,
    covered: 0,
    repeats: 0,
    notModified: 0,
    redirects: 0,
    gone: 0,
    violations: 0,
    decoys: 0,
    strays: 0,
    failed: 0,
    dropped: 0,
    badRequests: 0,
    others: 0,
  }

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
    switch (place.is) {
      case 'page':
        if (method === 'GET') this.#cover(site, place.number)
        break
      case 'object':
        if (method === 'GET') this.#cover(site, this.#plan.sizeOf(site) + place.number)
        break
      case 'alias':
      case 'alias-step':
        this.#counts.redirects++
        break
      case 'forbidden':
        this.#counts.violations++
        break
      case 'gone':
        this.#counts.gone++
        break
      case 'decoy':
        this.#counts.decoys++
        break
      case 'stray':
        this.#counts.strays++
        break
      case 'robots':
      case 'sitemap':
      case 'requisite':
        this.#counts.others++
        break
    }
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
