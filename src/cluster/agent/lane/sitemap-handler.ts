/**
 * The sitemaps of a site. Those that robots.txt names join the queue as marked URLs, and the URLs in a
 * fetched sitemap are routed like links. A sitemap is archived and has an outcome, but is no page: it is in
 * no table and does not count for `--max-pages`.
 */

import { type Exchange, LIMITS, siteOfCell, withoutMark } from '../../../model/index.js'
import { normaliseUrl } from '../../../model/url/index.js'
import type { FrontierEntry } from '../../../page/frontier/index.js'
import type { Scope } from '../../../page/frontier/scope/index.js'
import type { Guest } from '../../../page/guest/index.js'
import { readSitemap, unpackSitemap } from '../../../page/robots/sitemaps/index.js'
import type { FetchOutcome, OpenPack } from '../pack/index.js'
import type { PageFaults, SiteCrawl } from '../site/index.js'
import { type Ratings, rateLinks } from './link-rater.js'
import type { Router } from './router.js'

export interface SitemapHandlerParts {
  readonly scope: Scope
  readonly router: Router
  readonly pack: () => OpenPack
  readonly faults: PageFaults
  /** True if the sitemaps that robots.txt names are read. */
  readonly fromRobots: boolean
  /** Null without one. */
  readonly guest: Guest | null
}

export class SitemapHandler {
  readonly #parts: SitemapHandlerParts

  constructor(parts: SitemapHandlerParts) {
    this.#parts = parts
  }

  /** Queues the sitemaps that robots.txt names and the frontier does not know; safe to repeat. */
  offer(site: SiteCrawl): void {
    const { scope, router, pack, faults, fromRobots } = this.#parts
    site.sitemapsOffered()
    // A host out of scope is crawled only for a sitemap of another site: its own sitemaps are not wanted.
    if (!fromRobots || !scope.acceptsSite(siteOfCell(site.cell))) return
    for (const { origin, urls } of site.originRobots.sitemaps()) {
      const via = `${origin}/robots.txt`
      for (const written of urls.slice(0, LIMITS.sitemapsPerSite)) {
        try {
          const url = normaliseUrl(written, via)
          if (url !== null) router.sitemap(site, pack(), url, 0, via)
        } catch (error) {
          faults.caught(via, error)
        }
      }
    }
  }

  /** Routes the URLs that the sitemap lists; returns its outcome, or null if the cell was lost meanwhile. */
  async read(site: SiteCrawl, entry: FrontierEntry, outcome: FetchOutcome): Promise<FetchOutcome | null> {
    const { router, pack } = this.#parts
    const { code, exchange, redirect } = outcome
    const url = withoutMark(entry.url)
    if (redirect !== '') router.sitemap(site, pack(), redirect, entry.hops + 1, url)
    if (code !== 'OK' || exchange === null) return outcome
    const { body, isCut } = await unpackSitemap(exchange.body)
    const ratings = await rateLinks(this.#parts.guest, () => this.#listedIn(body, url, exchange))
    return site.lost ? null : this.#list(site, entry, exchange, body, isCut, ratings)
  }

  /** The pages in scope that a sitemap lists. */
  #listedIn(body: Buffer, url: string, exchange: Exchange): string[] {
    const { scope } = this.#parts
    const urls: string[] = []
    const page = (target: string) => scope.accepts(target) && urls.push(target)
    readSitemap(body, url, exchange.header('content-type'), { page, sitemap: () => {} })
    return urls
  }

  /** Synchronous, because the listed URLs and the outcome of the sitemap must be in the same pack. */
  #list(
    site: SiteCrawl,
    entry: FrontierEntry,
    exchange: Exchange,
    body: Buffer,
    isCut: boolean,
    ratings: Ratings | null,
  ): FetchOutcome {
    const { router } = this.#parts
    const pack = this.#parts.pack()
    const url = withoutMark(entry.url)
    const reading = readSitemap(body, url, exchange.header('content-type'), {
      page: target => router.listed(site, pack, url, target, ratings),
      sitemap: target => router.sitemap(site, pack, target, entry.hops + 1, url),
    })
    if (reading.form === 'none')
      return { code: 'SITEMAP_BAD', detail: `${url} is no sitemap`, exchange, redirect: '' }
    const end = isCut || reading.isCut || exchange.truncated !== undefined ? ', cut short' : ''
    const detail = `${reading.form}: ${reading.pages} pages, ${reading.sitemaps} sitemaps${end}`
    return { code: 'SITEMAP', detail, exchange, redirect: '' }
  }
}
