/**
 * Routes the links of a page: to the queue of its own cell, or as inbox rows to other cells, which the pack
 * commits together with the page. Links out of scope are dropped.
 */

import type { PageLinks } from '../../../data/store/tables/index.js'
import {
  type CellMap,
  type Discovery,
  LIMITS,
  LinkKind,
  probeMark,
  sitemapMark,
} from '../../../model/index.js'
import { originOf, registrableDomain, siteOf } from '../../../model/url/index.js'
import type { Scope } from '../../../page/frontier/scope/index.js'
import { type HostNames, withoutSessionId } from '../../../page/frontier/traps/index.js'
import { ROUTER_SHOWN_CHARS } from '../../limits.js'
import type { OpenPack, SentLinks } from '../pack/index.js'
import type { PageFaults, SiteCrawl } from '../site/index.js'
import type { Admission } from './admission.js'
import type { Ratings } from './link-rater.js'

export interface RouterParts {
  readonly scope: Scope
  readonly faults: PageFaults
  readonly cells: CellMap
  readonly sent: SentLinks
  /** `--assets`: images, styles and scripts are fetched from any host. */
  readonly assets: boolean
  /** False with `--robots ignore`. */
  readonly obeysNofollow: boolean
  readonly admission: Admission
  /** Null if the trap rule against domains that answer to any name is off. */
  readonly hosts: HostNames | null
  /** True if session ids are removed from links. */
  readonly dropsSessionIds: boolean
  /** Link rows for the table: links that leave the site, or all. */
  readonly linkRows: WantedLinks
}

export type WantedLinks = 'foreign' | 'all' | 'none'

/** The page with the links. */
export interface LinkSource {
  readonly url: string
  readonly depth: number
}

export interface Routed {
  /** Links that leave the page's site. */
  readonly foreign: number
  /** Rows for the table of links; null if there are none. */
  readonly rows: PageLinks | null
}

/** Collects the rows of one page for the table of links. */
export class LinkRows {
  readonly #wanted: WantedLinks
  readonly #targets: string[] = []
  readonly #kinds: number[] = []
  #foreign = 0

  constructor(wanted: WantedLinks) {
    this.#wanted = wanted
  }

  add(url: string, kind: number, leaves: boolean): void {
    if (leaves) this.#foreign++
    if (this.#wanted !== 'all' && !(leaves && this.#wanted === 'foreign')) return
    this.#targets.push(url)
    this.#kinds.push(kind)
  }

  routed(): Routed {
    const rows = this.#targets.length > 0 ? { targets: this.#targets, kinds: this.#kinds } : null
    return { foreign: this.#foreign, rows }
  }
}

export class Router {
  readonly #parts: RouterParts

  constructor(parts: RouterParts) {
    this.#parts = parts
  }

  /** Routes the links of a page that may be followed; counts those that leave the site. */
  route(
    site: SiteCrawl,
    pack: OpenPack,
    page: LinkSource,
    links: readonly string[],
    kinds: Uint8Array,
    follow: boolean,
    ratings: Ratings | null,
  ): Routed {
    const rows = new LinkRows(this.#parts.linkRows)
    const origin = `${originOf(page.url)}/`
    const ownSite = siteOf(page.url)
    for (let i = 0; i < links.length; i++) {
      const url = links[i]
      const target = url.startsWith(origin) ? ownSite : siteOf(url)
      const leaves = target !== ownSite
      rows.add(url, kinds[i], leaves)
      if (!this.#isFollowed(kinds[i], target, follow)) continue
      const requisite = (kinds[i] & LinkKind.requisite) !== 0
      const goesOut = leaves || !site.holds(url)
      this.#send(site, pack, url, goesOut, page.depth + 1, 0, page.url, requisite, links, ratings)
    }
    return rows.routed()
  }

  /** Links of a page that a guest has to rate: those that may be followed and are not known. */
  newLinks(
    site: SiteCrawl,
    pack: OpenPack,
    page: LinkSource,
    links: readonly string[],
    kinds: Uint8Array,
    follow: boolean,
  ): string[] {
    const { scope, dropsSessionIds } = this.#parts
    const found: string[] = []
    for (let i = 0; i < links.length; i++) {
      const url = links[i]
      const isRequisite = (kinds[i] & LinkKind.requisite) !== 0
      if (url.length > LIMITS.urlChars || !this.#isFollowed(kinds[i], siteOf(url), follow)) continue
      if (!isRequisite && !scope.accepts(url)) continue
      const clean = dropsSessionIds ? withoutSessionId(url, { url: page.url, links }) : url
      for (const each of clean === url ? [url] : [url, clean])
        if (!this.#isListed(site, pack, each, page.depth + 1)) found.push(each)
    }
    return found
  }

  /** The target of a redirect has the depth of its source. */
  redirect(
    site: SiteCrawl,
    pack: OpenPack,
    source: LinkSource,
    target: string,
    hops: number,
    ratings: Ratings | null = null,
  ): void {
    const { assets, scope } = this.#parts
    const leaves = siteOf(target) !== siteOf(source.url) || !site.holds(target)
    // A source out of scope is an image, style or script of some page, and so is its target.
    const requisite = assets && !scope.accepts(source.url)
    this.#send(site, pack, target, leaves, source.depth, hops, source.url, requisite, NO_LINKS, ratings)
  }

  /** A page that a sitemap lists has depth 1. */
  listed(
    site: SiteCrawl,
    pack: OpenPack,
    sitemap: string,
    url: string,
    ratings: Ratings | null = null,
  ): void {
    const target = siteOf(url)
    if (!this.#parts.scope.acceptsSite(target)) return
    const leaves = target !== siteOf(sitemap) || !site.holds(url)
    this.#send(site, pack, url, leaves, 1, 0, sitemap, false, NO_LINKS, ratings)
  }

  /** A sitemap may be on a host out of scope, but not on a blacklisted one. */
  sitemap(site: SiteCrawl, pack: OpenPack, url: string, hops: number, via: string): void {
    const { scope, sent, cells } = this.#parts
    if (url.length > LIMITS.urlChars) {
      this.#tooLong(site, pack, url)
      return
    }
    if (scope.excludes(url)) return
    if (hops > LIMITS.sitemapSteps) {
      pack.cellFor(site).note('TRAP:sitemaps', '')
      return
    }
    const discovery = { url: sitemapMark(url), depth: 0, hops, score: 0, via }
    if (siteOf(url) === site.site && site.holds(url)) this.#admit(site, pack, discovery)
    else if (!sent.has(discovery.url)) pack.cellFor(site).append(cells.cellOf(url), discovery)
  }

  /** Queues a page that cannot exist, on the site of `url`. */
  probe(site: SiteCrawl, pack: OpenPack, url: string, name: string): void {
    // The probe must be a URL of this cell: a journal has only URLs of its cell.
    const address = [`${originOf(url)}/${name}`, url.replace(/[^/]*$/, name)].find(each => site.holds(each))
    if (address !== undefined)
      this.#admit(site, pack, { url: probeMark(address), depth: 0, hops: 0, score: 1, via: url })
  }

  #admit(site: SiteCrawl, pack: OpenPack, discovery: Discovery): void {
    if (!site.frontier.knows(discovery.url, discovery.depth))
      this.#parts.admission.admit(site, pack, discovery)
  }

  #send(
    site: SiteCrawl,
    pack: OpenPack,
    found: string,
    leaves: boolean,
    depth: number,
    hops: number,
    via: string,
    requisite: boolean,
    links: readonly string[],
    ratings: Ratings | null,
  ): void {
    const { scope, hosts, admission, cells } = this.#parts
    let goesOut = leaves
    if (found.length > LIMITS.urlChars) {
      // Patterns see only the beginning of a long URL.
      const start = found.slice(0, LIMITS.urlChars)
      if (requisite || scope.accepts(start)) this.#tooLong(site, pack, found)
      return
    }
    if (this.#isKnown(site, pack, found, leaves, depth)) return
    // Images, styles and scripts are often on other hosts than their pages.
    if (!requisite && !scope.accepts(found)) return
    const url = this.#withoutSession(site, pack, found, hops, via, links)
    if (url !== found) {
      goesOut = siteOf(url) !== site.site || !site.holds(url)
      if (this.#isKnown(site, pack, url, goesOut, depth) || !scope.accepts(url)) return
    }
    const score = ratings === null ? 0 : this.#scoreOf(site, pack, url, found, ratings)
    if (score === null) return
    const discovery = { url, depth, hops, score, via }
    if (!goesOut) {
      admission.admit(site, pack, discovery)
      return
    }
    const target = siteOf(url)
    if (hosts === null || hosts.admits(target)) pack.cellFor(site).append(cells.cellOf(url), discovery)
    else pack.cellFor(site).note('TRAP:subdomains', registrableDomain(target))
  }

  /** The score of a new link; null if the guest rejects it or fails. */
  #scoreOf(site: SiteCrawl, pack: OpenPack, url: string, found: string, ratings: Ratings): number | null {
    const rating = ratings.has(url) ? ratings.get(url) : ratings.get(found)
    if (rating === undefined) return 0
    if (rating === null || typeof rating === 'number') return rating
    pack.cellFor(site).note(rating.code, this.#parts.faults.ofGuest(url, rating))
    return null
  }

  #isFollowed(kind: number, target: string, follow: boolean): boolean {
    const { scope, obeysNofollow } = this.#parts
    // `nofollow` does not apply to images, styles and scripts.
    if ((kind & LinkKind.requisite) !== 0) return !scope.isBlacklisted(target)
    const isAllowed = !obeysNofollow || ((kind & LinkKind.nofollow) === 0 && follow)
    return isAllowed && scope.acceptsSite(target)
  }

  /** Like `#isKnown`, but does not count the link. */
  #isListed(site: SiteCrawl, pack: OpenPack, url: string, depth: number): boolean {
    if (site.holds(url) && siteOf(url) === site.site) return site.frontier.knows(url, depth)
    return this.#parts.sent.has(url) || pack.cellFor(site).appends.has(url)
  }

  /** Counts the URL once for the site with the link. */
  #tooLong(site: SiteCrawl, pack: OpenPack, url: string): void {
    if (!site.frontier.turnAway(url)) return
    const detail = `${url.length} characters: ${url.slice(0, ROUTER_SHOWN_CHARS)}…`
    pack.cellFor(site).turnedAway(url, 'URL_TOO_LONG', detail)
  }

  #isKnown(site: SiteCrawl, pack: OpenPack, url: string, leaves: boolean, depth: number): boolean {
    if (!leaves) return site.frontier.meets(url, depth)
    return this.#parts.sent.has(url) || pack.cellFor(site).appends.has(url)
  }

  #withoutSession(
    site: SiteCrawl,
    pack: OpenPack,
    url: string,
    hops: number,
    via: string,
    links: readonly string[],
  ): string {
    if (!this.#parts.dropsSessionIds) return url
    const clean = withoutSessionId(url, { url: via, links })
    // A server that redirects a page to itself with a session id serves nothing without one.
    if (clean === url || (clean === via && hops > 0)) return url
    pack.cellFor(site).note('TRAP:session-ids', '')
    return clean
  }
}

const NO_LINKS: readonly string[] = []
