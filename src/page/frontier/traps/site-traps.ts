/**
 * The trap rules of one site. They judge new URLs in the order in which they are found. Decisions are in the
 * journal, and a rebuild replays them here, so that the next URL is judged as before. Memory is bounded; a
 * new URL takes a few microseconds, a known one nothing.
 */
import {
  type Clock,
  type Discovery,
  isSitemapMark,
  LIMITS,
  markOf,
  type TrapName,
  type TrapRule,
} from '../../../model/index.js'
import { Calendars } from './calendar.js'
import { Facets, sortedQuery } from './facets.js'
import { GrowingUrls } from './growing.js'
import { LookAlikes } from './look-alikes.js'
import { NumberWalks } from './number-walks.js'
import { addressWords, hashOfWords, pageWords } from './page-words.js'
import { repeatsSegments } from './repeated-segments.js'
import { dateOf, type UrlDate } from './url-date.js'

/** The part of the site's frontier that the rules need. */
interface KnownUrls {
  knows(url: string, depth: number): boolean
  /** Marks a URL as known without queuing it. */
  restoreKnown(discovery: Discovery): void
}

export interface SiteTrapsOptions {
  readonly rules: ReadonlySet<TrapRule>
  readonly maxPages: number
  readonly clock: Clock
  readonly known: KnownUrls
}

export class SiteTraps {
  readonly #options: SiteTrapsOptions
  readonly #growing: GrowingUrls | null
  readonly #facets: Facets | null
  readonly #calendars: Calendars | null
  readonly #walks: NumberWalks | null
  readonly #lookAlikes: LookAlikes | null
  #sitemaps = 0
  #pages = 0
  /** State of the page whose links are being routed: whether they are ignored, and whether any was new. */
  #pageIsAlike = false
  #pageDate: UrlDate | null = null
  #pageWalk: number | null = null
  #pageLeaf: number | null = null
  #pageUrl = ''
  #pageIsFruitful = false
  #leafIsFruitful = false

  constructor(options: SiteTrapsOptions) {
    const has = (rule: TrapRule) => options.rules.has(rule)
    this.#options = options
    this.#growing = has('growing') ? new GrowingUrls() : null
    this.#facets = has('facets') ? new Facets() : null
    this.#calendars = has('calendar') ? new Calendars() : null
    this.#walks = has('calendar') ? new NumberWalks() : null
    this.#lookAlikes = has('soft-404') ? new LookAlikes() : null
  }

  /** The rule that refuses a new URL of this site; null if it may join the queue. */
  judge(discovery: Discovery): TrapName | null {
    if (markOf(discovery.url) !== null) return this.#judgeMarked(discovery.url)
    const rule = this.#refusing(discovery)
    if (rule === null) this.#accept(discovery)
    return rule
  }

  /** From the journal: the decision about a new URL. */
  replay(discovery: Discovery, refusedBy: TrapName | null): void {
    const { url, via } = discovery
    if (isSitemapMark(url)) this.#sitemaps++
    if (markOf(url) !== null) return
    this.#calendars?.replay(url, via, refusedBy === 'calendar', this.#options.clock.now())
    this.#walks?.replay(url, via, refusedBy === 'calendar')
    if (refusedBy !== null) return
    this.#growing?.judge(url, via)
    this.#facets?.replay(url)
    this.#accept(discovery)
  }

  /** A page of this site is stored. */
  countPage(): void {
    this.#pages++
  }

  /** From the journal: a stored page is lost. */
  discountPage(): void {
    this.#pages--
  }

  /** True if the page limit of the site is reached, including pages in flight. */
  isSpent(underWay: number): boolean {
    return this.#pages + underWay >= this.#options.maxPages
  }

  /** Call before the links of a page, itself found on `via`, are routed. */
  beginPage(url: string, title: string, body: Uint8Array, via = ''): void {
    this.#pageIsAlike = this.#lookAlikes?.isAlike(url, title, body) ?? false
    this.#pageDate = this.#calendars === null ? null : dateOf(url)
    this.#pageWalk = this.#walks?.longWalk(url, via) ?? null
    this.#pageLeaf = this.#walks?.leafOf(url) ?? null
    this.#pageUrl = url
    this.#pageIsFruitful = false
    this.#leafIsFruitful = false
  }

  endPage(url: string, body: Uint8Array): void {
    if (this.#pageDate !== null) {
      const content = hashOfWords(pageWords(body, true), addressWords(url))
      this.#calendars?.read(this.#pageDate, content, this.#pageIsFruitful, this.#options.clock.now())
    }
    if (this.#pageWalk !== null) this.#walks?.read(this.#pageWalk, url, body, this.#pageIsFruitful)
    if (this.#pageLeaf !== null) this.#walks?.readLeaf(this.#pageLeaf, url, body, this.#leafIsFruitful)
    this.#pageIsAlike = false
    this.#pageDate = null
    this.#pageWalk = null
    this.#pageLeaf = null
  }

  /** True once, when a page that cannot exist should be requested. */
  takeProbe(): boolean {
    return this.#lookAlikes?.takeProbe() ?? false
  }

  probed(url: string, body: Uint8Array | null): void {
    this.#lookAlikes?.probed(url, body)
  }

  #judgeMarked(url: string): TrapName | null {
    if (!isSitemapMark(url)) return null
    return this.#sitemaps++ < LIMITS.sitemapsPerSite ? null : 'sitemaps'
  }

  #refusing({ url, depth, via }: Discovery): TrapRule | null {
    const { rules, clock, known } = this.#options
    if (this.#pageIsAlike) return 'soft-404'
    if (rules.has('repeated-segments') && repeatsSegments(url, via)) return 'repeated-segments'
    if (this.#calendars?.judge(url, via, clock.now())) return 'calendar'
    if (this.#walks?.judge(url, via)) return 'calendar'
    if (this.#facets !== null) {
      const sorted = sortedQuery(url)
      if (sorted !== url && known.knows(sorted, depth)) return 'facets'
      if (this.#facets.judge(url)) return 'facets'
    }
    return this.#growing?.judge(url, via) ? 'growing' : null
  }

  #accept(discovery: Discovery): void {
    if (this.#pageDate !== null && dateOf(discovery.url) === null) this.#pageIsFruitful = true
    if (this.#pageWalk !== null && this.#walks?.isFruit(this.#pageWalk, discovery.url, this.#pageUrl))
      this.#pageIsFruitful = true
    if (this.#pageLeaf !== null && this.#walks?.isFruitOfLeaf(discovery.url)) this.#leafIsFruitful = true
    if (this.#facets === null) return
    const sorted = sortedQuery(discovery.url)
    if (sorted !== discovery.url) this.#options.known.restoreKnown({ ...discovery, url: sorted })
  }
}
