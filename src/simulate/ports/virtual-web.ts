/**
 * A web that is computed from a seed: sites of power-law sizes, pages with links inside and between sites,
 * robots rules, redirects, pages that fail once or always. It stores only the size of each site.
 */

import type { Millis, OutcomeCode } from '../../model/index.js'
import { CROSS_LINKS, SLOW_PAGES } from '../limits.js'

export interface WebOptions {
  readonly seed: number
  readonly sites: number
  /** Approximate number of pages; never fewer than sites. */
  readonly pages: number
}

export interface Answer {
  readonly status: number
  readonly body: string
  readonly location?: string
}

/** Port: the web that servers serve and the checker knows. */
export interface Web {
  readonly pages: number
  readonly seeds: readonly string[]
  siteOf(host: string): number
  /** The Crawl-delay in the site's robots.txt; 0 for none. */
  crawlDelayMs(site: number): Millis
  /** The time that the site's server takes to answer. */
  latencyMs(site: number, request: number): Millis
  /** `tries`: the number of earlier requests of this URL. */
  answer(url: string, tries: number): Answer
  /** The outcome that each URL must end with. */
  truth(): Iterable<[url: string, outcome: OutcomeCode]>
  /** Whether robots.txt forbids the URL. */
  isForbidden(url: string): boolean
}

type Nature = 'plain' | 'missing' | 'broken' | 'flaky' | 'moved' | 'hidden'

const ROBOTS_PATH = '/robots.txt'
/** The path of a robots.txt that another site has moved here. */
const MOVED_ROBOTS = /^\/of\/(\d+)\/robots\.txt$/
const MOVED_ROBOTS_CHANCE = 0.05
const CROSS_CHANCE = 0.2
/** The home pages link to those of this many further sites: a tree that contains all sites. */
const SITES_PER_PARENT = 3

export class VirtualWeb implements Web {
  readonly options: WebOptions
  readonly #sizes: Uint32Array
  readonly pages: number

  constructor(options: WebOptions) {
    this.options = options
    this.#sizes = sizesOf(options)
    this.pages = this.#sizes.reduce((sum, size) => sum + size, 0)
  }

  get seeds(): string[] {
    return [this.#url(0, 0)]
  }

  /** Every seventh site shares its domain, and so its turn, with the site before it. */
  hostOf(site: number): string {
    const isForeignHost = site % 7 === 6
    return isForeignHost ? `www.s${site - 1}.test` : `s${site}.test`
  }

  siteOf(host: string): number {
    const other = host.startsWith('www.')
    const site = Number(host.slice(other ? 5 : 1, -5))
    return other ? site + 1 : site
  }

  crawlDelayMs(site: number): Millis {
    return this.#sizes[site] <= SLOW_PAGES && this.#chance(site, 0, 1) < 0.1 ? 2_000 : 0
  }

  latencyMs(site: number, request: number): Millis {
    const usual = 20 + 180 * this.#chance(site, 0, 2)
    return Math.ceil(usual * (0.5 + this.#chance(site, request, 3)))
  }

  answer(url: string, tries: number): Answer {
    const { site, path } = this.#placeOf(url)
    if (path === ROBOTS_PATH) return this.#robotsOf(site)
    const moved = MOVED_ROBOTS.exec(path)
    if (moved !== null) return this.#rules(Number(moved[1]))
    const page = pageOf(path)
    if (page < 0 || page >= this.#sizes[site]) return { status: 404, body: '' }
    switch (this.#nature(site, page)) {
      case 'missing':
        return { status: 404, body: '' }
      case 'broken':
        return { status: 500, body: '' }
      case 'flaky':
        return tries === 0 ? { status: 500, body: '' } : { status: 200, body: this.#html(site, page) }
      case 'moved':
        return { status: 301, body: '', location: this.#url(site, this.#parent(page)) }
      default:
        return { status: 200, body: this.#html(site, page) }
    }
  }

  *truth(): Iterable<[url: string, outcome: OutcomeCode]> {
    for (let site = 0; site < this.options.sites; site++)
      for (let page = 0; page < this.#sizes[site]; page++)
        yield [this.#url(site, page), OUTCOMES[this.#nature(site, page)]]
  }

  isForbidden(url: string): boolean {
    const { site, path } = this.#placeOf(url)
    return path.startsWith('/no/') && this.#hasRules(site)
  }

  /** Some sites redirect to another site: a hop that needs the turn of that site's group. */
  #robotsOf(site: number): Answer {
    const keeper = this.#anySite(this.#chance(site, 1, 9))
    if (keeper === site || this.#chance(site, 0, 9) >= MOVED_ROBOTS_CHANCE) return this.#rules(site)
    return { status: 301, body: '', location: `http://${this.hostOf(keeper)}/of/${site}${ROBOTS_PATH}` }
  }

  #rules(site: number): Answer {
    if (!this.#hasRules(site)) return { status: 404, body: '' }
    const delay = this.crawlDelayMs(site)
    return {
      status: 200,
      body: `User-agent: *\nDisallow: /no/\n${delay > 0 ? `Crawl-delay: ${delay / 1000}\n` : ''}`,
    }
  }

  #hasRules(site: number): boolean {
    return this.crawlDelayMs(site) > 0 || this.#chance(site, 0, 4) < 0.5
  }

  /** Page 0 and all pages with children can be fetched, so every page can be found. */
  #nature(site: number, page: number): Nature {
    if (page === 0 || 2 * page + 1 < this.#sizes[site]) {
      return this.#chance(site, page, 5) < 0.03 ? 'flaky' : 'plain'
    }
    const chance = this.#chance(site, page, 5)
    if (chance < 0.02) return 'flaky'
    if (chance < 0.04) return 'missing'
    if (chance < 0.05) return 'broken'
    if (chance < 0.07) return 'moved'
    if (chance < 0.09 && this.#hasRules(site)) return 'hidden'
    return 'plain'
  }

  /** The parent of the page, which can always be fetched. */
  #parent(page: number): number {
    return (page - 1) >> 1
  }

  #html(site: number, page: number): string {
    const size = this.#sizes[site]
    const own = this.#hasIsland(site) ? size - 1 : size
    const links: string[] = []
    for (const child of [2 * page + 1, 2 * page + 2]) if (child < own) links.push(this.#path(site, child))
    links.push(this.#path(site, Math.floor(this.#chance(site, page, 6) * own)))
    this.#linkIsland(site, page, links)
    if (page === 0) this.#childSites(site, links)
    for (let i = 0; i < CROSS_LINKS; i++) {
      if (this.#chance(site, page, 10 + i) > CROSS_CHANCE) continue
      const target = this.#anySite(this.#chance(site, page, 20 + i))
      links.push(this.#url(target, Math.floor(this.#chance(site, page, 30 + i) * this.#sizes[target])))
    }
    return `<title>${site}/${page}</title>${links.map(link => `<a href="${link}">x</a>`).join('\n')}`
  }

  /** Whether only another site links to the last page: it may be found after its own site is finished. */
  #hasIsland(site: number): boolean {
    return this.#sizes[site] > 2 && this.#chance(site, 0, 7) < 0.5
  }

  #linkIsland(site: number, page: number, links: string[]): void {
    const next = (site + 1) % this.options.sites
    if (next === site || !this.#hasIsland(next)) return
    const linking = Math.floor(this.#chance(site, 0, 8) * this.#sizes[site])
    if (page === (linking === 0 ? 0 : this.#parent(linking)))
      links.push(this.#url(next, this.#sizes[next] - 1))
  }

  /** A random site; the lower its number, the likelier. */
  #anySite(chance: number): number {
    return Math.floor(chance * chance * this.options.sites)
  }

  #childSites(site: number, links: string[]): void {
    for (let i = 1; i <= SITES_PER_PARENT; i++) {
      const child = site * SITES_PER_PARENT + i
      if (child < this.options.sites) links.push(this.#url(child, 0))
    }
  }

  #path(site: number, page: number): string {
    if (page === 0) return '/'
    return this.#nature(site, page) === 'hidden' ? `/no/${page}` : `/p/${page}`
  }

  #url(site: number, page: number): string {
    return `http://${this.hostOf(site)}${this.#path(site, page)}`
  }

  #placeOf(url: string): { site: number; path: string } {
    const start = url.indexOf('/', 7)
    return { site: this.siteOf(url.slice(7, start)), path: url.slice(start) }
  }

  #chance(site: number, page: number, what: number): number {
    let hash = Math.imul(this.options.seed ^ 0x9e3779b9, 0x85ebca6b)
    hash = Math.imul(hash ^ site, 0xc2b2ae35)
    hash = Math.imul(hash ^ (hash >>> 15) ^ page, 0x27d4eb2f)
    hash = Math.imul(hash ^ (hash >>> 13) ^ what, 0x165667b1)
    hash ^= hash >>> 16
    hash = Math.imul(hash, 0x85ebca6b)
    return ((hash ^ (hash >>> 13)) >>> 0) / 4_294_967_296
  }
}

const OUTCOMES: Readonly<Record<Nature, OutcomeCode>> = {
  plain: 'OK',
  flaky: 'OK',
  missing: 'HTTP_CLIENT_ERROR',
  broken: 'HTTP_SERVER_ERROR',
  moved: 'REDIRECT',
  hidden: 'ROBOTS_DISALLOWED',
}

function pageOf(path: string): number {
  if (path === '/') return 0
  return /^\/(p|no)\/\d+$/.test(path) ? Number(path.slice(path.lastIndexOf('/') + 1)) : -1
}

/** Power-law sizes: a few large sites, many of a page or two. Ranks are spread over the site numbers. */
function sizesOf({ sites, pages, seed }: WebOptions): Uint32Array {
  let weight = 0
  for (let rank = 1; rank <= sites; rank++) weight += 1 / rank ** 0.8
  const spare = Math.max(0, pages - sites)
  const sizes = new Uint32Array(sites)
  const step = stepOver(sites, seed)
  let at = 0
  for (let rank = 1; rank <= sites; rank++) {
    at = (at + step) % sites
    sizes[at] = 1 + Math.round(spare / rank ** 0.8 / weight)
  }
  return sizes
}

/** A step that visits each number below `count` once. */
function stepOver(count: number, seed: number): number {
  let step = (seed % count) + 1
  while (greatestDivisor(step, count) !== 1) step++
  return step
}

function greatestDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestDivisor(b, a % b)
}
