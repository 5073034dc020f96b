/**
 * Turns the answer to a visit into what lasts: rows and records in the open pack, links on their way, or a
 * new try.
 */

import { payloadDigest } from '../../../data/store/warc/index.js'
import {
  type Exchange,
  type KnownLinks,
  LIMITS,
  type MetaInfo,
  markOf,
  type OutcomeCode,
  type ParsedPage,
  withoutMark,
} from '../../../model/index.js'
import { pathStart, schemeOf, siteOf } from '../../../model/url/index.js'
import { isConditional } from '../../../page/fetch/http/index.js'
import type { FetchResult } from '../../../page/fetch/index.js'
import type { FrontierEntry } from '../../../page/frontier/index.js'
import type { HostNames } from '../../../page/frontier/traps/index.js'
import type { parsePage } from '../../../page/parse/index.js'
import type { PageRules } from '../../../page/robots/index.js'
import { isPage, type SentLinks, type Settlement, settlementOf } from '../pack/index.js'
import type { SiteCrawl } from '../site/index.js'
import { type Content, identical, NO_CONTENT, unchanged } from './content.js'
import { crawledPage, type Hooks } from './hooks.js'
import { KnownAtDepth } from './known-at-depth.js'
import { PageKeeper, type PageKeeperParts } from './page-keeper.js'
import type { Routed, Router } from './router.js'
import { SecondTry, type SecondTryParts } from './second-try.js'
import type { SitemapDesk } from './sitemap-desk.js'

export interface SettlerParts extends SecondTryParts, PageKeeperParts {
  readonly router: Router
  readonly hooks: Hooks
  readonly parse: typeof parsePage
  readonly sitemaps: SitemapDesk
  /** Null where the rule against domains that answer to any name is off. */
  readonly hosts: HostNames | null
  /** The name of a page that cannot exist. */
  readonly unlikelyName: () => string
  readonly assets: boolean
  /** Text and facts for the tables or a hook; a bare crawl does without. */
  readonly wantText: boolean
  /** What was sent to other cells need not be seen again; null when rows are made of such links. */
  readonly sent: SentLinks | null
  /** For rows of all links, or for a hook. */
  readonly wantAllLinks: boolean
  readonly archive: boolean
  /** A seed moved: scope follows the end of its redirect. */
  readonly onSeedRedirect: (target: string) => void
}

/** What was learned of a page before it threw. */
interface Reading {
  rules: PageRules | null
}

export class Settler {
  readonly #parts: SettlerParts
  readonly #second: SecondTry
  readonly #known: KnownAtDepth
  readonly #keeper: PageKeeper

  constructor(parts: SettlerParts) {
    this.#parts = parts
    this.#second = new SecondTry(parts)
    this.#known = new KnownAtDepth(parts.sent)
    this.#keeper = new PageKeeper(parts)
  }

  /** A URL that is not asked for. */
  refuse(site: SiteCrawl, entry: FrontierEntry, code: OutcomeCode, detail: string): void {
    const settlement: Settlement = { code, detail, exchange: null, redirect: '' }
    if (entry.again) {
      this.#parts.pack().share(site).lookedAgain(entry, code)
      return
    }
    this.#keeper.keep(site, entry, settlement, NO_CONTENT)
  }

  /** Settles a visit, whatever its page throws; true when it brought a page. */
  async settle(
    site: SiteCrawl,
    entry: FrontierEntry,
    result: FetchResult,
    known: MetaInfo | undefined,
  ): Promise<boolean> {
    const reading: Reading = { rules: null }
    this.#parts.pack().requests++
    if (!result.ok && result.error !== undefined) this.#parts.faults.ofFetch(entry.url, result.error)
    try {
      const settlement = settlementOf(result, entry.hops, LIMITS.redirectHops, isConditional(known))
      this.#answered(site, entry, settlement)
      if (this.#second.queues(site, entry, settlement)) return false
      if (markOf(entry.url) !== null) {
        await this.#settleMarked(site, entry, settlement)
        return false
      }
      const content = this.#contentOf(site, entry, settlement, known, reading)
      if (entry.again) {
        this.#parts.pack().share(site).lookedAgain(entry, settlement.code)
        return false
      }
      this.#keeper.keep(site, entry, settlement, content, known)
      if (!isPage(settlement.code)) return false
      if (content.page && this.#parts.hooks.onPage)
        await this.#show(site, entry, settlement.exchange!, content.page)
      return true
    } catch (error) {
      this.#keeper.fail(site, entry, result.exchange ?? null, reading.rules, error)
      return false
    }
  }

  #answered(site: SiteCrawl, entry: FrontierEntry, { code, exchange }: Settlement): void {
    if (exchange) {
      site.answered = true
      site.answeredBy[schemeOf(entry.url)] = true
    }
    if (isPage(code)) site.pages++
  }

  /** What is no page: a sitemap, or a probe. It is archived; among the pages stands only what went wrong. */
  async #settleMarked(site: SiteCrawl, entry: FrontierEntry, settlement: Settlement): Promise<void> {
    if (markOf(entry.url) === 'sitemap') {
      const read = await this.#parts.sitemaps.read(site, entry, settlement)
      if (read !== null) this.#keeper.keep(site, entry, read, NO_CONTENT)
      return
    }
    const { exchange, code } = settlement
    site.traps.probed(withoutMark(entry.url), code === 'OK' && exchange ? exchange.body : null)
    this.#keeper.keep(site, entry, { ...settlement, code: 'PROBE', redirect: '' }, NO_CONTENT)
  }

  #contentOf(
    site: SiteCrawl,
    entry: FrontierEntry,
    settlement: Settlement,
    known: MetaInfo | undefined,
    reading: Reading,
  ): Content {
    const { router, pack } = this.#parts
    const { code, exchange, redirect } = settlement
    if (redirect !== '') {
      if (entry.depth === 0) this.#parts.onSeedRedirect(redirect)
      router.redirect(site, pack(), entry, redirect, entry.hops + 1)
    }
    if (!exchange) return NO_CONTENT
    if (code === 'NOT_MODIFIED' && known) return unchanged(entry.url, known, this.#parts.wantText)
    const digest = this.#parts.archive || this.#parts.wantText ? payloadDigest(exchange.payload) : ''
    if (!isReadable(code, exchange)) return { ...NO_CONTENT, digest }
    const page = this.#parts.parse({
      url: entry.url,
      body: exchange.body,
      contentType: exchange.header('content-type'),
      refresh: exchange.header('refresh'),
      wantText: this.#parts.wantText,
      wantRequisites: this.#parts.assets,
      known: this.#knownTo(site, entry),
    })
    const rules = this.#parts.pageRules(page.robots, exchange)
    reading.rules = rules
    const routed = this.#follow(site, entry, page, exchange.body, rules.follow)
    return {
      page,
      rules,
      digest,
      links: routed.rows,
      outlinks: page.links.length + page.knownLinks,
      foreign: routed.foreign,
      revisit: identical(exchange, digest, known),
    }
  }

  /** Null when somebody wants to see every link. */
  #knownTo(site: SiteCrawl, entry: FrontierEntry): KnownLinks | null {
    if (this.#parts.wantAllLinks) return null
    this.#known.of(site.frontier, entry.depth + 1)
    return this.#known
  }

  /** Sends the links of a page on their way, under the eyes of the trap rules. */
  #follow(site: SiteCrawl, entry: FrontierEntry, page: ParsedPage, body: Buffer, follow: boolean): Routed {
    const { router, pack, hosts } = this.#parts
    const { url } = entry
    site.traps.beginPage(url, page.title, body, entry.via)
    const routed = router.route(site, pack(), entry, page.links, page.kinds, follow)
    site.traps.endPage(url, body)
    if (site.traps.takeProbe()) router.probe(site, pack(), url, this.#parts.unlikelyName())
    if (hosts !== null && pathStart(url) === url.length - 1) hosts.sawHome(url, siteOf(url), body)
    return routed
  }

  /** The page is kept by now: what the hook throws is counted beside it. */
  async #show(site: SiteCrawl, entry: FrontierEntry, exchange: Exchange, page: ParsedPage): Promise<void> {
    const facts = {
      url: entry.url,
      status: exchange.status,
      depth: entry.depth,
      fetchedAt: exchange.startedAt,
      fetchMs: exchange.fetchMs,
      body: exchange.body,
    }
    try {
      await this.#parts.hooks.onPage?.(crawledPage(page, facts))
    } catch (error) {
      const detail = this.#parts.faults.ofHook('onPage', entry.url, error)
      if (!site.lost) this.#parts.pack().share(site).note('HOOK_FAILED', detail)
    }
  }
}

/**
 * What came of a page that broke off is read all the same, as browsers do; its outcome still says that it
 * did.
 */
export function isReadable(code: OutcomeCode, { status }: Exchange): boolean {
  if (code === 'OK') return true
  return (code === 'BODY_CUT' || code === 'BODY_TOO_SLOW') && status >= 200 && status < 300
}
