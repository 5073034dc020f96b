/**
 * The generated web as pure functions of its seed: sites, pages, paths and links. Serving and text stand
 * elsewhere.
 */
import type { Random } from '../../model/index.js'
import type { Authority } from './authority.js'
import { hashOf, Purpose } from './hash.js'
import { drawLinks, FORBIDDEN_EVERY, LEAST_LINKS, LinkTarget, OBJECT_EVERY, OutLinks } from './out-links.js'
import { type Place, pagePath, readPath, WebPath } from './page-path.js'
import { SiteTable } from './site-table.js'

export interface WebPlanOptions {
  readonly sites: number
  /** HTML pages of all sites together, home pages included. */
  readonly pages: number
  readonly seed: number
  /** Communities that link among themselves; by default the square root of `sites`, at most 16. */
  readonly topics?: number
  /** A foreign link stays within its community this often. */
  readonly topicShare?: number
  /** So many communities that are branches of the tree of sites, instead of `topics` dealt at random. */
  readonly communities?: number
  /** Mean number of links a page; single pages have a fifth more or less. */
  readonly linksPerPage?: number
  readonly foreignShare?: number
  /** Share of all pages that the largest site has. */
  readonly largestShare?: number
  /** Pages of each site, instead of a power law. */
  readonly sizes?: readonly number[]
}

/** A link as a page shows it, before its spelling: where it leads and what a crawler finds there. */
export interface PlannedLink {
  /** `redirect` leads to a page by way of its alias. */
  readonly kind: 'page' | 'redirect' | 'object' | 'gone' | 'forbidden'
  /** Normalised. */
  readonly url: string
  /** Number of the page within its site; of no meaning for other kinds. */
  readonly page: number
  readonly site: number
}

const MOVED_EVERY = 40
const CHAINED_EVERY = 8
const NO_ROBOTS_EVERY = 8

export class WebPlan {
  readonly sites: number
  readonly pages: number
  readonly seed: number
  readonly topics: number
  readonly linksPerPage: number
  readonly foreignShare: number
  readonly #table: SiteTable
  readonly #nameWidth: number

  constructor(options: WebPlanOptions) {
    const { sites, pages } = options
    this.sites = sites
    this.pages = pages
    this.seed = options.seed
    this.topics =
      options.communities ?? options.topics ?? Math.min(16, Math.max(1, Math.round(Math.sqrt(sites))))
    this.linksPerPage = options.linksPerPage ?? 40
    this.foreignShare = options.foreignShare ?? 0.12
    this.#refuseNonsense(options.sizes)
    this.#nameWidth = Math.max(2, String(sites - 1).length)
    this.#table = new SiteTable({
      sites,
      pages,
      seed: options.seed,
      topics: this.topics,
      topicShare: options.topicShare ?? 0.7,
      branches: options.communities !== undefined,
      largestShare: options.largestShare ?? 0.12,
      ...(options.sizes === undefined ? {} : { sizes: options.sizes }),
    })
  }

  #refuseNonsense(sizes: readonly number[] | undefined): void {
    const { sites, pages, topics, linksPerPage, foreignShare } = this
    if (!Number.isInteger(sites) || sites < 1 || sites > 10_000_000)
      throw new RangeError('sites: 1 to 10 million')
    if (!Number.isInteger(pages) || pages < sites || pages >= 2 ** 32) {
      throw new RangeError('pages: at least one for each site, fewer than 2^32')
    }
    if (!Number.isInteger(this.seed)) throw new RangeError('seed: a whole number')
    if (!Number.isInteger(topics) || topics < 1 || topics > 65_535) throw new RangeError('topics: 1 to 65535')
    if (!(linksPerPage >= LEAST_LINKS * 1.25 && linksPerPage <= 1_000)) {
      throw new RangeError(`linksPerPage: ${LEAST_LINKS * 1.25} to 1000`)
    }
    if (!(foreignShare >= 0 && foreignShare <= 0.3)) throw new RangeError('foreignShare: 0 to 0.3')
    if (sizes === undefined) return
    const sum = sizes.reduce((total, size) => total + size, 0)
    if (
      sizes.length !== sites ||
      sum !== pages ||
      !sizes.every(size => Number.isInteger(size) && size >= 1)
    ) {
      throw new RangeError('sizes: one whole number of at least 1 for each site, summing to pages')
    }
  }

  /** `s00.test`: a registrable domain of its own, for `test` is on no public suffix list. */
  nameOf(site: number): string {
    return `s${String(site).padStart(this.#nameWidth, '0')}.test`
  }

  sizeOf(site: number): number {
    return this.#table.sizeOf(site)
  }

  topicOf(site: number): number {
    return this.#table.topicOf(site)
  }

  /** Pages of the whole web are numbered site by site: this is the number of (site, page). */
  idOf(site: number, page: number): number {
    return this.#table.firstPage(site) + page
  }

  /** The inverse of `idOf`. */
  locate(id: number): { readonly site: number; readonly page: number } {
    const site = this.#table.siteOfPage(id)
    return { site, page: id - this.#table.firstPage(site) }
  }

  drawForeign(site: number, random: Random): number {
    return this.#table.drawForeign(site, random)
  }

  /** Every eighth site has no robots.txt, and then nothing forbidden. Site 0 has one. */
  hasRobots(site: number): boolean {
    return site === 0 || hashOf(this.seed, Purpose.robots, site, 0) % NO_ROBOTS_EVERY !== 0
  }

  /** All links to a moved page lead to its alias, which redirects; some by way of a second step. */
  isMoved(site: number, page: number): boolean {
    return page > 0 && hashOf(this.seed, Purpose.moved, site, page) % MOVED_EVERY === 0
  }

  isChained(site: number, page: number): boolean {
    return page > 0 && hashOf(this.seed, Purpose.moved, site, page) % (MOVED_EVERY * CHAINED_EVERY) === 0
  }

  /** Objects that are not HTML and linked by `<a>`; each hangs on one page for certain. */
  objectsOf(site: number): number {
    return Math.floor((this.sizeOf(site) - 2) / OBJECT_EVERY) + 1
  }

  forbiddenOf(site: number): number {
    return this.hasRobots(site) ? Math.floor((this.sizeOf(site) - 1) / FORBIDDEN_EVERY) + 1 : 0
  }

  /** Linked, but answered with 404. */
  goneOf(site: number): number {
    return 1 + Math.floor(this.sizeOf(site) / 64)
  }

  pathOf(site: number, page: number): string {
    return pagePath(this.seed, site, page)
  }

  urlOf(site: number, page: number, authority: Authority): string {
    return `http://${authority(site)}${this.pathOf(site, page)}`
  }

  /** What a request for `target` (path and query) of a site asks for, in the web as it is. */
  placeOf(site: number, target: string): Place {
    const place = readPath(this.seed, site, target)
    switch (place.is) {
      case 'page':
        return place.number < this.sizeOf(site) ? place : { is: 'stray' }
      case 'alias':
        return place.number < this.sizeOf(site) && this.isMoved(site, place.number) ? place : { is: 'stray' }
      case 'alias-step':
        return place.number < this.sizeOf(site) && this.isChained(site, place.number)
          ? place
          : { is: 'stray' }
      case 'object':
        return place.number < this.objectsOf(site) ? place : { is: 'stray' }
      case 'forbidden':
        return place.number < this.forbiddenOf(site) ? place : { is: 'stray' }
      default:
        return place
    }
  }

  /** Columns that fit the links of any page; one set can be filled again and again. */
  newOutLinks(): OutLinks {
    return new OutLinks(Math.ceil(this.linksPerPage * 1.2) + 1)
  }

  outlinks(site: number, page: number, out: OutLinks): void {
    drawLinks(this, site, page, out)
  }

  /** Sets `path` to that of link `index` of `out`. */
  linkPath(out: OutLinks, index: number, path: WebPath): WebPath {
    const number = out.number[index]
    const site = out.site[index]
    switch (out.target[index]) {
      case LinkTarget.gone:
        return path.gone(number)
      case LinkTarget.forbidden:
        return path.forbidden(number)
      case LinkTarget.object:
        return path.object(number)
      default:
        return this.isMoved(site, number) ? path.alias(number) : path.page(this.seed, site, number)
    }
  }

  /** The same links as objects, for readers who have time. */
  linksOf(site: number, page: number, authority: Authority): PlannedLink[] {
    const out = this.newOutLinks()
    const path = new WebPath()
    this.outlinks(site, page, out)
    return Array.from({ length: out.count }, (_, i) => ({
      kind: this.#kindOf(out, i),
      url: `http://${authority(out.site[i])}${this.linkPath(out, i, path)}`,
      page: out.number[i],
      site: out.site[i],
    }))
  }

  #kindOf(out: OutLinks, index: number): PlannedLink['kind'] {
    if (out.target[index] === LinkTarget.gone) return 'gone'
    if (out.target[index] === LinkTarget.forbidden) return 'forbidden'
    if (out.target[index] === LinkTarget.object) return 'object'
    return this.isMoved(out.site[index], out.number[index]) ? 'redirect' : 'page'
  }
}
