/** Decides after a failed request: try the URL again, make the site wait, park it or give it up. */

import {
  type Clock,
  type Millis,
  type OutcomeCode,
  type OutcomeRule,
  outcomeRule,
  type Random,
  withoutMark,
} from '../../../model/index.js'
import { schemeOf } from '../../../model/url/index.js'
import { retryAfterHeaderMs } from '../../../page/fetch/http/index.js'
import type { FrontierEntry } from '../../../page/frontier/index.js'
import { backOffMs } from '../../../page/politeness/index.js'
import { type FetchOutcome, type OpenPack, retryAfterMs } from '../pack/index.js'
import type { Counters, SiteCrawl } from '../site/index.js'

export interface RetryPolicyParts {
  readonly clock: Clock
  readonly random: Random
  readonly counters: Counters
  /** The pack that is filling. */
  readonly pack: () => OpenPack
  readonly maxWaitMs: Millis
  /** True if no server is asked for a URL (`--source`): a file or an archive says the same every time. */
  readonly isLocal: (url: string) => boolean
  /** The most requests for a failing URL, whatever the rule of its outcome says. */
  readonly maxTries: number
}

const OF_URL_ALONE = { dropsSite: false, strain: 'none' } as const

export class RetryPolicy {
  readonly #parts: RetryPolicyParts

  constructor(parts: RetryPolicyParts) {
    this.#parts = parts
  }

  /** True if the URL was queued again; false if this outcome is final. The site may be parked or given up. */
  queues(site: SiteCrawl, entry: FrontierEntry, outcome: FetchOutcome): boolean {
    const { clock, isLocal } = this.#parts
    if (isLocal(withoutMark(entry.url))) return false
    const { code, detail, exchange } = outcome
    const usual = outcomeRule(code)
    const rule = isOfUrlAlone(site, entry, usual) ? { ...usual, ...OF_URL_ALONE } : usual
    if (rule.strain !== 'none') site.failed()
    else if (usual.strain === 'none' && exchange) site.recovered()
    const now = clock.now()
    if (rule.tries === 1) {
      if (rule.dropsSite) this.#drop(site, code, detail)
      return false
    }
    const asked = rule.strain === 'busy' ? retryAfterHeaderMs(exchange?.header('retry-after'), now) : null
    const waitMs = backOffMs(rule, site.failures, asked, this.#parts.random)
    const untilNext = now + (waitMs ?? asked ?? 0)
    if (untilNext > now) site.pace.wait(untilNext, reasonOf(asked, site.failures, detail))
    if (waitMs === null && site.answered) {
      this.#park(site, entry, `${site.failures} failures in a row, the last one ${code}: ${detail}`)
      return true
    }
    const retryMs = retryAfterMs(code, entry.attempt, this.#parts.maxTries)
    if (retryMs === null) return this.#lastTry(site, entry, outcome, rule)
    this.#queueAgain(site, entry, entry.attempt + 1, now + (asked ?? retryMs))
    site.frontier.retry({ ...entry, failedAfter: site.pages }, now + (asked ?? retryMs))
    if (untilNext - now > this.#parts.maxWaitMs) site.leave('park', untilNext, site.pace.waitReason)
    return true
  }

  /** The URL is settled. The rest of the site is given up; if the site has ever answered, it is parked. */
  #drop(site: SiteCrawl, code: OutcomeCode, detail: string): void {
    if (!site.answered) site.giveUp(code, detail)
    else if (!site.frontier.isEmpty)
      site.leave('park', this.#parts.clock.now() + this.#parts.maxWaitMs, `${code}, ${detail}`)
  }

  /** The URL has no tries left. True if it waits for `resume` all the same. */
  #lastTry(site: SiteCrawl, entry: FrontierEntry, outcome: FetchOutcome, rule: OutcomeRule): boolean {
    const { code, detail } = outcome
    // The site has answered nothing but "busy": it waits for `resume`, where the URL has one try less.
    if (rule.strain === 'busy' && site.pages === 0 && site.failures >= rule.tries - 1) {
      this.#park(site, entry, `${site.failures} requests in a row: ${detail}`)
      return true
    }
    if (!rule.dropsSite) return false
    if (!site.answered) {
      site.giveUp(code, detail)
      return false
    }
    this.#park(site, entry, `${code}, ${detail}`)
    return true
  }

  /** Parks the site. After `resume` the URL has all its tries but the first: its visit has begun. */
  #park(site: SiteCrawl, entry: FrontierEntry, why: string): void {
    const now = this.#parts.clock.now()
    const { waitUntil } = site.pace
    this.#queueAgain(site, entry, 2, Math.max(now, waitUntil))
    site.leave('park', Math.max(now + this.#parts.maxWaitMs, waitUntil), why)
  }

  #queueAgain(site: SiteCrawl, entry: FrontierEntry, attempt: number, until: Millis): void {
    this.#parts.counters.retries++
    site.queuedAgain(entry)
    this.#parts.pack().cellFor(site).journal.retry(entry.url, attempt, until)
  }
}

/** True if a failure says nothing about the site: pages came since the first, or the other scheme answers. */
function isOfUrlAlone(
  site: SiteCrawl,
  { url, attempt, failedAfter = 0 }: FrontierEntry,
  rule: OutcomeRule,
): boolean {
  if (rule.dropsSite) return isShut(site, url)
  return rule.strain === 'failing' && attempt > 1 && site.pages > failedAfter
}

function isShut(site: SiteCrawl, url: string): boolean {
  const scheme = schemeOf(url)
  return !site.hasAnsweredBy(scheme) && site.hasAnsweredBy(scheme === 'http' ? 'https' : 'http')
}

function reasonOf(asked: Millis | null, failures: number, detail: string): string {
  if (asked !== null) return `it asked for it (${detail}, Retry-After ${Math.ceil(asked / 1000)} s)`
  return `${failures === 1 ? 'it failed' : `it failed ${failures} times in a row`} (${detail})`
}
