/**
 * The trap rules of one site. In come URLs that are new, in the order they are found; out comes the rule that
 * refuses one. What was decided stands in the journal: a rebuild tells it here again, so that the next URL is
 * judged as if nothing had happened. Memory is bounded whatever the site does; a few microseconds a new URL,
 * nothing for known ones.
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

/** What the rules need to know of the site's frontier. */
interface KnownUrls {
  knows(url: string, depth: number): boolean
  /** Known from now on, though it never was queued. */
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
  /**
   * The page whose links are being routed: whether nothing new on it counts, and whether anything new was
   * there.
   */
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

  /** The rule that refuses a URL of this site, new at this moment; null when it may join the queue. */
  judge(discovery: Discovery): TrapName | null {
    if (markOf(discovery.url) !== null) return this.#judgeMarked(discovery.url)
    const rule = this.#refusing(discovery)
    if (rule === null) this.#accept(discovery)
    return rule
  }

  /** From the journal: what became of a URL when it was new. */
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

  /** From the journal: what was stored of a page is lost. */
  discountPage(): void {
    this.#pages--
  }

  /** True when the site has had all the pages it may have, those under way included. */
  isSpent(underWay: number): boolean {
    return this.#pages + underWay >= this.#options.maxPages
  }

  /** Before the links of a page, found on `via`, are routed. */
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

  /** True once when a page that cannot exist should be asked for. */
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
