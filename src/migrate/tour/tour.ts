/**
 * The papers' mobile crawler (M5, M6, M17): crawls one origin at its source, keeps the pages that its
 * keywords select, and leaves to the home what it may not or cannot fetch.
 */
import { fingerprint, takeFingerprint } from '../../model/bytes/index.js'
import {
  type Clock,
  type Discovery,
  type Exchange,
  LIMITS,
  LinkKind,
  type Millis,
  type ParsedPage,
  redirectTarget,
  type StopSignal,
  sleep,
  TRAP_RULES,
  type TrapRule,
} from '../../model/index.js'
import { originOf, siteOf } from '../../model/url/index.js'
import type { Fetcher } from '../../page/fetch/index.js'
import { CellFrontier, type FrontierEntry, type FrontierSpace } from '../../page/frontier/index.js'
import { SiteTraps } from '../../page/frontier/traps/index.js'
import { parsePage } from '../../page/parse/index.js'
import { NO_PAGE_RULES, pageRules, qualify, RobotsRules } from '../../page/robots/index.js'
import { type Bundle, readDiscoveryRows, type TourEnd } from '../bundle/index.js'
import { FOREIGN_LINKS_PER_PAGE } from '../limits.js'
import type { ReturnWriter } from './return-writer.js'

/** What the owner of the host allows. */
export interface TourLimits {
  readonly pages: number
  /** Bytes read at the source. */
  readonly readBytes: number
  /** Pause between two requests to the source. */
  readonly delayMs: Millis
}

export interface TourParts {
  readonly clock: Clock
  /** Reads the source, and nothing else. */
  readonly fetcher: Pick<Fetcher, 'fetch' | 'resolve'>
  readonly bundle: Bundle
  readonly space: FrontierSpace
  readonly limits: TourLimits
  /** The product token of robots.txt files. */
  readonly productToken: string
  /** False after the lease, and while the process that was suspended has not noticed. */
  readonly mayRead: () => boolean
  /** Aborts at the end of the lease, or when the tour is stopped. */
  readonly signal: StopSignal
  readonly out: ReturnWriter
}

const TRAPS: ReadonlySet<TrapRule> = new Set(Object.keys(TRAP_RULES) as TrapRule[])
/** Links that lead to pages. */
const FOLLOWED = LinkKind.anchor | LinkKind.frame | LinkKind.refresh | LinkKind.related

export class Tour {
  readonly #parts: TourParts
  readonly #frontier: CellFrontier
  readonly #traps: SiteTraps
  readonly #origin: string
  readonly #site: string

  private constructor(parts: TourParts, frontier: CellFrontier) {
    const { clock, limits } = parts
    this.#parts = parts
    this.#origin = parts.bundle.manifest.origin
    this.#site = siteOf(`${this.#origin}/`)
    this.#frontier = frontier
    this.#traps = new SiteTraps({ rules: TRAPS, maxPages: limits.pages, clock, known: frontier })
  }

  /** Text if the frontier of the bundle is not right. */
  static open(parts: TourParts): Tour | string {
    const { bundle, space } = parts
    const frontier = new CellFrontier(space, { maxDepth: Number.POSITIVE_INFINITY })
    const { seen } = bundle
    const halves = new DataView(seen.buffer, seen.byteOffset, seen.length)
    for (let at = 0; at < seen.length; at += 8)
      frontier.restoreTurnedAway(halves.getUint32(at, true), halves.getUint32(at + 4, true))
    const { origin } = bundle.manifest
    for (const discovery of readDiscoveryRows(bundle.frontier)) {
      if (discovery === null || originOf(discovery.url) !== origin) return 'its frontier has a wrong URL'
      frontier.offer(discovery)
    }
    return frontier.isEmpty ? 'its frontier is empty' : new Tour(parts, frontier)
  }

  /** Visits until nothing is left, a limit is reached or the lease ends; the last part says which. */
  async run(): Promise<TourEnd> {
    const { out, signal } = this.#parts
    try {
      const rules = await this.#robots()
      const reached = rules === null ? 'stopped' : await this.#visitAll(rules)
      const end = signal.aborted ? 'stopped' : reached
      for (;;) {
        const entry = this.#frontier.next(Number.POSITIVE_INFINITY)
        if (entry === null) break
        await out.leave(entry)
      }
      await out.seal(end)
      return end
    } finally {
      this.#frontier.close()
    }
  }

  /** Null if robots.txt could not be read for certain: then nothing is requested (P9). */
  async #robots(): Promise<RobotsRules | null> {
    const { clock, fetcher, signal, mayRead, productToken } = this.#parts
    const turns = { before: (): true => true, after: () => {} }
    const found = await qualify(
      this.#origin,
      'strict',
      { clock, fetcher: this.#guarded(fetcher), turns, mayAsk: mayRead },
      signal,
    )
    if ('is' in found || (found.verdict !== 'rules' && found.verdict !== 'allow-all')) return null
    await this.#pause()
    return RobotsRules.parse(found.body, productToken)
  }

  async #visitAll(rules: RobotsRules): Promise<TourEnd> {
    const { clock, bundle, limits, out, mayRead, signal } = this.#parts
    const maxPages = Math.min(limits.pages, bundle.manifest.maxPages)
    for (;;) {
      if (signal.aborted || !mayRead()) return 'stopped'
      if (out.judged >= maxPages || out.readBytes >= limits.readBytes) return 'limit'
      const entry = this.#frontier.next(clock.now())
      if (entry === null) return 'done'
      if (!rules.allows(entry.url).allowed) {
        await out.leave(entry)
        continue
      }
      if (!(await this.#visit(entry))) await out.leave(entry)
      await this.#pause()
    }
  }

  /** False if no response came. */
  async #visit(entry: FrontierEntry): Promise<boolean> {
    const { fetcher, signal, bundle, out } = this.#parts
    const request = { url: entry.url, holdsBody: true }
    const result = await this.#guarded(fetcher).fetch(request, signal)
    try {
      // The home makes its own request for what failed here: it knows when to try again.
      if (!result.ok) return false
      const { exchange } = result
      const { keywords, minKeywords } = bundle.manifest
      if (exchange.status !== 200) {
        this.#redirected(entry, exchange)
        await out.keep(entry, exchange)
        return true
      }
      const page = parsePage({
        url: entry.url,
        body: exchange.body,
        contentType: exchange.header('content-type'),
        refresh: exchange.header('refresh'),
        wantText: keywords.length > 0,
        wantRequisites: false,
      })
      const isKept = hasKeywords(page.text, keywords, minKeywords)
      const foreign = this.#follow(entry, exchange, page)
      this.#traps.countPage()
      await (isKept ? out.keep(entry, exchange) : out.pass(entry, exchange, foreign))
      return true
    } finally {
      result.exchange?.settled?.()
      result.exchange?.release?.()
    }
  }

  /** Queues the links to this origin; returns those to other sites. */
  #follow(entry: FrontierEntry, exchange: Exchange, page: ParsedPage): Discovery[] {
    const foreign: Discovery[] = []
    const rules = this.#rulesOf(exchange, page)
    this.#traps.beginPage(entry.url, page.title, exchange.body, entry.via)
    for (let i = 0; i < page.links.length && rules.follow; i++) {
      const kind = page.kinds[i]!
      if ((kind & FOLLOWED) === 0 || (kind & LinkKind.nofollow) !== 0) continue
      const found = { url: page.links[i]!, depth: entry.depth + 1, hops: 0, score: 0, via: entry.url }
      if (siteOf(found.url) === this.#site) this.#offer(found)
      else if (foreign.length < FOREIGN_LINKS_PER_PAGE && found.url.length <= LIMITS.urlChars)
        foreign.push(found)
    }
    this.#traps.endPage(entry.url, exchange.body)
    return foreign
  }

  #rulesOf(exchange: Exchange, page: ParsedPage) {
    const { clock, productToken } = this.#parts
    const headers = exchange.headerValues?.('x-robots-tag') ?? []
    if (page.robots === '' && headers.length === 0) return NO_PAGE_RULES
    return pageRules(page.robots, headers, productToken, clock.now())
  }

  #redirected(entry: FrontierEntry, exchange: Exchange): void {
    const target = redirectTarget(exchange)
    if (target === null || entry.hops >= LIMITS.redirectHops) return
    this.#offer({ url: target, depth: entry.depth, hops: entry.hops + 1, score: 0, via: entry.url })
  }

  #offer(discovery: Discovery): void {
    const { maxDepth, prefixes } = this.#parts.bundle.manifest
    const { url } = discovery
    if (originOf(url) !== this.#origin || url.length > LIMITS.urlChars) return
    if (maxDepth >= 0 && discovery.depth > maxDepth) return
    if (prefixes.length > 0 && !prefixes.some(prefix => url.startsWith(prefix))) return
    takeFingerprint(url)
    if (this.#frontier.meetsFingerprint(fingerprint.low, fingerprint.high, discovery.depth)) return
    if (this.#traps.judge(discovery) === null) this.#frontier.offer(discovery)
    else this.#frontier.refuse(discovery)
  }

  /** Asks for the lease once more just before a request is written. */
  #guarded(fetcher: TourParts['fetcher']): TourParts['fetcher'] {
    const { mayRead } = this.#parts
    return {
      fetch: (request, signal) => fetcher.fetch({ ...request, mayBegin: mayRead }, signal),
      resolve: host => fetcher.resolve(host),
    }
  }

  async #pause(): Promise<void> {
    const { clock, limits, signal } = this.#parts
    if (limits.delayMs > 0) await sleep(clock, limits.delayMs, signal)
  }
}

/**
 * The verdict by keywords alone, which runs no code of the home: true if the text, in UTF-8, has at least
 * `least` of them; case does not matter.
 */
function hasKeywords(text: Uint8Array, keywords: readonly string[], least: number): boolean {
  if (keywords.length === 0) return true
  const words = Buffer.from(text.buffer, text.byteOffset, text.length).toString('utf8').toLowerCase()
  let found = 0
  for (const keyword of keywords) {
    if (found >= least) break
    if (words.includes(keyword.toLowerCase())) found++
  }
  return found >= least
}
