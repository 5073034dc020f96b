/** Settles a response: parses it, routes its links, and puts its outcome into the open pack; or retries. */
import { payloadDigest } from '../../../data/store/warc/index.js'
import {
  type Exchange,
  isPage,
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
import type { Guest } from '../../../page/guest/index.js'
import type { parsePage } from '../../../page/parse/index.js'
import type { PageRules } from '../../../page/robots/index.js'
import { type FetchOutcome, fetchOutcomeOf, type SentLinks } from '../pack/index.js'
import type { SiteCrawl } from '../site/index.js'
import { type Content, identical, NO_CONTENT, unchanged } from './content.js'
import { crawledPage, type ReadPage } from './crawled-page.js'
import { type Ratings, rateLinks } from './link-rater.js'
import { type JudgedVisit, judgedPage, withJudgement } from './page-judge.js'
import type { PageRecorder, PageRecorderParts } from './page-recorder.js'
import { RetryPolicy, type RetryPolicyParts } from './retry-policy.js'
import type { Routed, Router } from './router.js'
import type { SitemapHandler } from './sitemap-handler.js'

export interface ResponseHandlerParts
  extends RetryPolicyParts,
    Pick<PageRecorderParts, 'faults' | 'pageRules'> {
  readonly recorder: PageRecorder
  readonly router: Router
  /** Null without one. */
  readonly guest: Guest | null
  /** Null where nobody reads the pages. */
  readonly readPage: ReadPage | null
  readonly parse: typeof parsePage
  readonly sitemaps: SitemapHandler
  /** Null if the trap rule against domains that answer to any name is off. */
  readonly hosts: HostNames | null
  /** Returns the name of a page that cannot exist. */
  readonly unlikelyName: () => string
  readonly assets: boolean
  /** True if the text and facts of pages are needed, for the tables, a guest or a reader. */
  readonly wantText: boolean
  /** Links that were sent to other cells already, which the parser can skip; null if each needs a row. */
  readonly sent: SentLinks | null
  /** True if known links are needed too, for rows of all links, a guest or a reader. */
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
      const response = this.#read(site, entry, outcome, known, reading)
      const asked = rateLinks(this.#parts.guest, () => this.#newLinks(site, entry, outcome, response))
      const ratings = asked instanceof Promise ? await asked : asked
      // While the guest was asked, the cell may have become another's: the URL stays queued there.
      if (site.lost) return false
      const content = this.#route(site, entry, outcome, response, ratings)
      if (entry.again) {
        this.#parts.pack().cellFor(site).lookedAgain(entry, outcome.code)
        return false
      }
      const { guest, readPage } = this.#parts
      if (guest !== null || readPage !== null) return await this.#settle(site, entry, outcome, content, known)
      this.#recorder.record(site, entry, outcome, content, known)
      return isPage(outcome.code)
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

  /** Records the page after the guest has judged it; true if it is a page. */
  async #settle(
    site: SiteCrawl,
    entry: FrontierEntry,
    outcome: FetchOutcome,
    content: Content,
    known: MetaInfo | undefined,
  ): Promise<boolean> {
    const { guest, readPage, faults } = this.#parts
    const { exchange } = outcome
    const page = isPage(outcome.code) && exchange !== null ? content.page : null
    let judged = { outcome, content }
    if (guest !== null && page !== null && exchange !== null) {
      const judging = guest.judge(judgedPage(page, visitOf(entry, exchange)))
      const judgement = judging instanceof Promise ? await judging : judging
      if (site.lost) return false
      judged = withJudgement(outcome, content, judgement, entry.url, faults)
    }
    this.#recorder.record(site, entry, judged.outcome, judged.content, known)
    if (page !== null && exchange !== null && readPage !== null)
      await readPage(crawledPage(page, entry, exchange))
    return isPage(outcome.code)
  }

  /** Parses a response that has a page; another one is settled as it is. */
  #read(
    site: SiteCrawl,
    entry: FrontierEntry,
    outcome: FetchOutcome,
    known: MetaInfo | undefined,
    reading: Reading,
  ): Content {
    const { guest, wantText, pageRules } = this.#parts
    const { code, exchange } = outcome
    if (!exchange) return NO_CONTENT
    if (code === 'NOT_MODIFIED' && known) return unchanged(entry.url, known, wantText)
    const digest = this.#parts.archive || wantText ? payloadDigest(exchange.payload) : ''
    if (!isReadable(code, exchange)) return { ...NO_CONTENT, digest }
    const page = this.#parts.parse({
      url: entry.url,
      body: exchange.body,
      contentType: exchange.header('content-type'),
      refresh: exchange.header('refresh'),
      wantText,
      wantRequisites: this.#parts.assets,
      known: this.#skippable(site, entry),
    })
    reading.rules = pageRules(page.robots, exchange)
    return {
      ...NO_CONTENT,
      // While a guest is asked, the parser reuses the bytes of the text for another page.
      page: guest === null ? page : { ...page, text: Buffer.from(page.text) },
      rules: reading.rules,
      digest,
      revisit: identical(exchange, digest, known),
    }
  }

  #newLinks(
    site: SiteCrawl,
    entry: FrontierEntry,
    { redirect }: FetchOutcome,
    { page, rules }: Content,
  ): string[] {
    const { router, pack } = this.#parts
    const links =
      page === null ? [] : router.newLinks(site, pack(), entry, page.links, page.kinds, rules.follow)
    return redirect === '' ? links : [...links, redirect]
  }

  /** Routes the links of a response, and its redirect. */
  #route(
    site: SiteCrawl,
    entry: FrontierEntry,
    { redirect, exchange }: FetchOutcome,
    content: Content,
    ratings: Ratings | null,
  ): Content {
    const { router, pack } = this.#parts
    if (redirect !== '') {
      if (entry.depth === 0) this.#parts.onSeedRedirect(redirect)
      router.redirect(site, pack(), entry, redirect, entry.hops + 1, ratings)
    }
    const { page, rules } = content
    if (page === null || exchange === null) return content
    const routed = this.#follow(site, entry, page, exchange.body, rules.follow, ratings)
    // List the fields instead of spreading: a spread gives each page its own hidden class.
    return {
      page,
      rules,
      digest: content.digest,
      links: routed.rows,
      outlinks: page.links.length + page.knownLinks,
      foreign: routed.foreign,
      revisit: content.revisit,
    }
  }

  /** The links that the parser can skip; null if all links are wanted. */
  #skippable(site: SiteCrawl, entry: FrontierEntry): KnownLinks | null {
    if (this.#parts.wantAllLinks) return null
    this.#known.set(site.frontier, entry.depth + 1)
    return this.#known
  }

  /** Routes the links of a page and shows the page to the trap rules. */
  #follow(
    site: SiteCrawl,
    entry: FrontierEntry,
    page: ParsedPage,
    body: Buffer,
    follow: boolean,
    ratings: Ratings | null,
  ): Routed {
    const { router, pack, hosts } = this.#parts
    const { url } = entry
    site.traps.beginPage(url, page.title, body, entry.via)
    const routed = router.route(site, pack(), entry, page.links, page.kinds, follow, ratings)
    site.traps.endPage(url, body)
    if (site.traps.takeProbe()) router.probe(site, pack(), url, this.#parts.unlikelyName())
    if (hosts !== null && pathStart(url) === url.length - 1) hosts.sawHome(url, siteOf(url), body)
    return routed
  }
}

function visitOf({ url, depth }: FrontierEntry, exchange: Exchange): JudgedVisit {
  const { status, startedAt, fetchMs, body } = exchange
  return { url, depth, status, startedAt, fetchMs, body }
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
