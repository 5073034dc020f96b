/** The generated web as pure functions of its seed: sites, pages, paths and links. */

import type { Random } from '../../model/index.js'
import { LEAST_LINKS } from '../limits.js'
import type { Authority } from './authority.js'
import { hashOf, Purpose } from './hash.js'
import { drawLinks, FORBIDDEN_EVERY, LinkTarget, OBJECT_EVERY, OutLinks } from './out-links.js'
import { type Place, pagePath, readPath, type WebPath } from './page-path.js'
import { SiteTable } from './site-table.js'

export interface WebPlanOptions {
  readonly sites: number
  /** HTML pages of all sites together, with home pages. */
  readonly pages: number
  readonly seed: number
  /** Number of communities that mostly link among themselves (the square root of `sites`, at most 16). */
  readonly topics?: number
  /** The share of foreign links that stay within their community. */
  readonly topicShare?: number
  /** Number of communities that are branches of the tree of sites, instead of random `topics`. */
  readonly communities?: number
  /** Mean number of links per page; a page has up to a fifth more or less. */
  readonly linksPerPage?: number
  readonly foreignShare?: number
  /** Share of all pages that the largest site has. */
  readonly largestShare?: number
  /** The pages of each site, instead of a power law. */
  readonly sizes?: readonly number[]
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
    this.#checkOptions(options.sizes)
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

  #checkOptions(sizes: readonly number[] | undefined): void {
    const { sites, pages, seed, topics, linksPerPage, foreignShare } = this
    const check = (isRight: boolean, rule: string): void => {
      if (!isRight) throw new RangeError(rule)
    }
    const isWhole = Number.isInteger
    check(isWhole(sites) && sites >= 1 && sites <= 10_000_000, 'sites: 1 to 10 million')
    const hasPages = isWhole(pages) && pages >= sites && pages < 2 ** 32
    check(hasPages, 'pages: at least one for each site, fewer than 2^32')
    check(isWhole(seed), 'seed: a whole number')
    check(isWhole(topics) && topics >= 1 && topics <= 65_535, 'topics: 1 to 65535')
    const leastLinks = LEAST_LINKS * 1.25
    check(linksPerPage >= leastLinks && linksPerPage <= 1_000, `linksPerPage: ${leastLinks} to 1000`)
    check(foreignShare >= 0 && foreignShare <= 0.3, 'foreignShare: 0 to 0.3')
    const sum = sizes?.reduce((total, size) => total + size, 0) ?? pages
    check(
      sum === pages &&
        (sizes?.length ?? sites) === sites &&
        (sizes ?? []).every(size => isWhole(size) && size >= 1),
      'sizes: one whole number of at least 1 for each site, summing to pages',
    )
  }

  /** For example `s00.test`: a registrable domain of its own. */
  nameOf(site: number): string {
    return `s${String(site).padStart(this.#nameWidth, '0')}.test`
  }

  sizeOf(site: number): number {
    return this.#table.sizeOf(site)
  }

  topicOf(site: number): number {
    return this.#table.topicOf(site)
  }

  /** The number of a page when all pages are numbered site by site. */
  idOf(site: number, page: number): number {
    return this.#table.firstPage(site) + page
  }

  drawForeign(site: number, random: Random): number {
    return this.#table.drawForeign(site, random)
  }

  /** About every eighth site has no robots.txt and no forbidden pages. Site 0 has one. */
  hasRobots(site: number): boolean {
    return site === 0 || hashOf(this.seed, Purpose.robots, site, 0) % NO_ROBOTS_EVERY !== 0
  }

  /** All links to a moved page lead to its alias, which redirects, sometimes in two steps. */
  isMoved(site: number, page: number): boolean {
    return page > 0 && hashOf(this.seed, Purpose.moved, site, page) % MOVED_EVERY === 0
  }

  isChained(site: number, page: number): boolean {
    return page > 0 && hashOf(this.seed, Purpose.moved, site, page) % (MOVED_EVERY * CHAINED_EVERY) === 0
  }

  /** The number of objects that are not HTML; each is linked by `<a>` on one page at least. */
  objectsOf(site: number): number {
    return Math.floor((this.sizeOf(site) - 2) / OBJECT_EVERY) + 1
  }

  forbiddenOf(site: number): number {
    return this.hasRobots(site) ? Math.floor((this.sizeOf(site) - 1) / FORBIDDEN_EVERY) + 1 : 0
  }

  /** The number of linked URLs that are answered with 404. */
  goneOf(site: number): number {
    return 1 + Math.floor(this.sizeOf(site) / 64)
  }

  pathOf(site: number, page: number): string {
    return pagePath(this.seed, site, page)
  }

  urlOf(site: number, page: number, authority: Authority): string {
    return `http://${authority(site)}${this.pathOf(site, page)}`
  }

  /** What `target` (path and query) stands for on a site. */
  placeOf(site: number, target: string): Place {
    const place = readPath(this.seed, site, target)
    return this.#exists(site, place) ? place : { is: 'stray' }
  }

  #exists(site: number, place: Place): boolean {
    switch (place.is) {
      case 'page':
        return place.number < this.sizeOf(site)
      case 'alias':
        return place.number < this.sizeOf(site) && this.isMoved(site, place.number)
      case 'alias-step':
        return place.number < this.sizeOf(site) && this.isChained(site, place.number)
      case 'object':
        return place.number < this.objectsOf(site)
      case 'forbidden':
        return place.number < this.forbiddenOf(site)
      default:
        return true
    }
  }

  /** Columns with room for the links of any page; they can be filled again. */
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
}
