/** Settles a response: parses it, routes its links, and puts its outcome into the open pack; or retries. */
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
import type { CellFrontier, FrontierEntry } from '../../../page/frontier/index.js'
import type { HostNames } from '../../../page/frontier/traps/index.js'
import type { parsePage } from '../../../page/parse/index.js'
import type { PageRules } from '../../../page/robots/index.js'
import { type FetchOutcome, fetchOutcomeOf, isPage, type SentLinks } from '../pack/index.js'
import type { SiteCrawl } from '../site/index.js'
import { type Content, identical, NO_CONTENT, unchanged } from './content.js'
import { crawledPage, type Hooks } from './hooks.js'
import type { PageRecorder, PageRecorderParts } from './page-recorder.js'
import { RetryPolicy, type RetryPolicyParts } from './retry-policy.js'
import type { Routed, Router } from './router.js'
import type { SitemapHandler } from './sitemap-handler.js'

export interface ResponseHandlerParts
  extends RetryPolicyParts,
    Pick<PageRecorderParts, 'faults' | 'pageRules'> {
  readonly recorder: PageRecorder
  readonly router: Router
  readonly hooks: Hooks
  readonly parse: typeof parsePage
  readonly sitemaps: SitemapHandler
  /** Null if the trap rule against domains that answer to any name is off. */
  readonly hosts: HostNames | null
  /** Returns the name of a page that cannot exist. */
  readonly unlikelyName: () => string
  readonly assets: boolean
  /** True if the text and facts of pages are needed, for the tables or for a hook. */
  readonly wantText: boolean
  /** Links that were sent to other cells already, which the parser can skip; null if each needs a row. */
  readonly sent: SentLinks | null
  /** True if known links are needed too, for rows of all links or for a hook. */
  readonly wantAllLinks: boolean
  readonly archive: boolean
  /** Called when a seed redirects: the target joins the scope. */
  readonly onSeedRedirect: (target: string) => void
}

/**
 * The robots rules of a page, set as soon as it is parsed: they decide whether it is archived, even after a
 * later exception.
 */
interface Reading {
  rules: PageRules | null
}

export class ResponseHandler {
  readonly #parts: ResponseHandlerParts
  readonly #retries: RetryPolicy
  readonly #known: FrontierKnownLinks
  readonly #recorder: PageRecorder

  constructor(parts: ResponseHandlerParts) {
    this.#parts = parts
    this.#retries = new RetryPolicy(parts)
    this.#known = new FrontierKnownLinks(parts.sent)
    this.#recorder = parts.recorder
  }

  /** Settles a visit; an exception becomes the outcome of its page. True if a page came. */
  async handle(
    site: SiteCrawl,
    entry: FrontierEntry,
    result: FetchResult,
    known: MetaInfo | undefined,
  ): Promise<boolean> {
    const reading: Reading = { rules: null }
    this.#parts.pack().requests++
    if (!result.ok && result.error !== undefined) this.#parts.faults.ofFetch(entry.url, result.error)
    try {
      const outcome = fetchOutcomeOf(result, entry.hops, LIMITS.redirectHops, isConditional(known))
      this.#answered(site, entry, outcome)
      if (this.#retries.queues(site, entry, outcome)) return false
      if (markOf(entry.url) !== null) {
        await this.#settleMarked(site, entry, outcome)
        return false
      }
      const content = this.#contentOf(site, entry, outcome, known, reading)
      if (entry.again) {
        this.#parts.pack().cellFor(site).lookedAgain(entry, outcome.code)
        return false
      }
      this.#recorder.record(site, entry, outcome, content, known)
      if (!isPage(outcome.code)) return false
      if (content.page && this.#parts.hooks.onPage)
        await this.#callHook(site, entry, outcome.exchange!, content.page)
      return true
    } catch (error) {
      this.#recorder.fail(site, entry, result.exchange ?? null, reading.rules, error)
      return false
    }
  }

  #answered(site: SiteCrawl, entry: FrontierEntry, { code, exchange }: FetchOutcome): void {
    if (exchange) site.answeredOver(schemeOf(entry.url))
    if (isPage(code)) site.pageCame()
  }

  /** Sitemaps and probes are archived, but are rows of the table of pages only if they failed. */
  async #settleMarked(site: SiteCrawl, entry: FrontierEntry, outcome: FetchOutcome): Promise<void> {
    if (markOf(entry.url) === 'sitemap') {
      const read = await this.#parts.sitemaps.read(site, entry, outcome)
      if (read !== null) this.#recorder.record(site, entry, read, NO_CONTENT)
      return
    }
    const { exchange, code } = outcome
    site.traps.probed(withoutMark(entry.url), code === 'OK' && exchange ? exchange.body : null)
    this.#recorder.record(site, entry, { ...outcome, code: 'PROBE', redirect: '' }, NO_CONTENT)
  }

  #contentOf(
    site: SiteCrawl,
    entry: FrontierEntry,
    outcome: FetchOutcome,
    known: MetaInfo | undefined,
    reading: Reading,
  ): Content {
    const { router, pack } = this.#parts
    const { code, exchange, redirect } = outcome
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
      known: this.#skippable(site, entry),
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

  /** The links that the parser can skip; null if all links are wanted. */
  #skippable(site: SiteCrawl, entry: FrontierEntry): KnownLinks | null {
    if (this.#parts.wantAllLinks) return null
    this.#known.set(site.frontier, entry.depth + 1)
    return this.#known
  }

  /** Routes the links of a page and shows the page to the trap rules. */
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

  /** The page is in the pack already: an exception of the hook is counted as another outcome. */
  async #callHook(
    site: SiteCrawl,
    entry: FrontierEntry,
    exchange: Exchange,
    page: ParsedPage,
  ): Promise<void> {
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
      if (!site.lost) this.#parts.pack().cellFor(site).note('HOOK_FAILED', detail)
    }
  }
}

/** Like browsers, we read a page whose body broke off; its outcome says that it did. */
export function isReadable(code: OutcomeCode, { status }: Exchange): boolean {
  if (code === 'OK') return true
  return (code === 'BODY_CUT' || code === 'BODY_TOO_SLOW') && status >= 200 && status < 300
}

/**
 * Links that the frontier would drop at a depth, or that were sent to other cells already. One object serves
 * all pages: pages are parsed one at a time.
 */
class FrontierKnownLinks implements KnownLinks {
  readonly #sent: SentLinks | null
  #frontier: CellFrontier | null = null
  #depth = 0

  constructor(sent: SentLinks | null) {
    this.#sent = sent
  }

  set(frontier: CellFrontier, depth: number): void {
    this.#frontier = frontier
    this.#depth = depth
  }

  has(low: number, high: number, isOwn: boolean): boolean {
    if (isOwn) return this.#frontier?.meetsFingerprint(low, high, this.#depth) ?? false
    return this.#sent?.hasFingerprint(low, high) ?? false
  }
}
