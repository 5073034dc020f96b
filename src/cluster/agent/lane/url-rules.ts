/** The rules that refuse a URL without a request, except robots.txt. */
import { markOf, type OutcomeCode } from '../../../model/index.js'
import type { FrontierEntry } from '../../../page/frontier/index.js'
import type { SiteCrawl } from '../site/index.js'

export interface Refusal {
  readonly code: OutcomeCode
  readonly detail: string
}

export class UrlRules {
  readonly #maxDepth: number
  readonly #isBlacklisted: (site: SiteCrawl) => boolean

  constructor(maxDepth: number, isBlacklisted: (site: SiteCrawl) => boolean) {
    this.#maxDepth = maxDepth
    this.#isBlacklisted = isBlacklisted
  }

  /** Null if no rule refuses the URL. */
  refusalOf(site: SiteCrawl, entry: FrontierEntry): Refusal | null {
    if (site.mode.is === 'giving-up') return { code: 'SITE_DROPPED', detail: site.mode.detail }
    if (this.#isBlacklisted(site)) return { code: 'BLACKLISTED', detail: '' }
    if (entry.depth > this.#maxDepth) return { code: 'TOO_DEEP', detail: '' }
    const isPage = markOf(entry.url) === null
    if (isPage && site.traps.isSpent(site.unfinished)) return { code: 'SITE_PAGE_LIMIT', detail: '' }
    return null
  }
}
