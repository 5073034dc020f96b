/**
 * The experiment `dynamic-balance` with the real coordinator, agents, lanes and transmitter in virtual time.
 * One page stands for a hundred and takes their time: a crawl of all 98,585 would give the same shares and
 * take much longer.
 */
import type { Millis, OutcomeCode } from '../src/model/index.js'
import { type Answer, simulate, type Web } from '../src/simulate/index.js'
import {
  AGENTS,
  type Balance,
  balanceOf,
  type KnownSite,
  LANES_PER_AGENT,
  laneTimes,
  type Method,
  sizeFor,
  startingOrder,
} from './dynamic-balance.js'

/** The number of pages that one page stands for. */
const PAGES_PER_PAGE = 100

export async function simulateCrawl(
  method: Method,
  sites: readonly KnownSite[],
  seed: number,
): Promise<Balance> {
  const web = new BalanceWeb(sites, startingOrder(method, sites, seed))
  const { violations, agentWork } = await simulate({
    seed,
    agents: AGENTS,
    lanes: LANES_PER_AGENT,
    sites: sites.length,
    pages: web.pages,
    web,
    sizes: web.sizesFor(method),
    slices: 'off',
    assign: method.assign,
    faults: 'none',
    delayMs: 0,
    keepsHistory: false,
  })
  if (violations.length > 0) throw new Error(`${method.name}, seed ${seed}: ${violations[0].what}`)
  return balanceOf(method, laneTimes(agentWork))
}

/** Sites without links between them; each is a tree of pages that take equally long. */
class BalanceWeb implements Web {
  readonly pages: number
  readonly seeds: readonly string[]
  readonly #sites: readonly (KnownSite & { readonly pages: number })[]

  constructor(sites: readonly KnownSite[], order: readonly number[]) {
    this.#sites = sites.map(site => ({ ...site, pages: Math.max(1, Math.round(site.size / PAGES_PER_PAGE)) }))
    this.pages = this.#sites.reduce((sum, { pages }) => sum + pages, 0)
    this.seeds = order.map(site => this.#url(site, 0))
  }

  sizesFor(method: Method): { cell: string; size: number }[] {
    return this.#sites.flatMap(site => {
      const size = sizeFor(method, site)
      return size === null ? [] : [{ cell: `s${site.site}.test`, size }]
    })
  }

  siteOf(host: string): number {
    return Number(host.slice(1, -'.test'.length))
  }

  crawlDelayMs(): Millis {
    return 0
  }

  latencyMs(site: number): Millis {
    const { downloadMs, pages } = this.#sites[site]
    return downloadMs / pages
  }

  answer(url: string): Answer {
    const { site, page } = this.#placeOf(url)
    if (!(page < this.#sites[site].pages)) return { status: 404, body: '' }
    const children = [2 * page + 1, 2 * page + 2].filter(child => child < this.#sites[site].pages)
    const links = children.map(child => `<a href="/${child}">x</a>`).join('')
    return { status: 200, body: `<title>${page}</title>${links}` }
  }

  *truth(): Iterable<[url: string, outcome: OutcomeCode]> {
    for (const { site, pages } of this.#sites)
      for (let page = 0; page < pages; page++) yield [this.#url(site, page), 'OK']
  }

  isForbidden(): boolean {
    return false
  }

  #url(site: number, page: number): string {
    return `http://s${site}.test/${page === 0 ? '' : page}`
  }

  /** The page is NaN if the URL has none. */
  #placeOf(url: string): { site: number; page: number } {
    const start = url.indexOf('/', 7)
    return { site: this.siteOf(url.slice(7, start)), page: Number(url.slice(start + 1)) }
  }
}
