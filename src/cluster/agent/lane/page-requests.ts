/** Sends the request for a URL, and decides what follows from a request that was aborted. */
import { type MetaInfo, markOf, type StopSignal, withoutMark } from '../../../model/index.js'
import { confirms } from '../../../page/fetch/http/index.js'
import type { Fetcher, FetchResult } from '../../../page/fetch/index.js'
import type { FrontierEntry } from '../../../page/frontier/index.js'
import { BegunRequest, type LeaseMargin } from '../../../page/politeness/index.js'
import type { Counters, SiteCrawl } from '../site/index.js'

export interface PageRequestsParts {
  readonly fetcher: Pick<Fetcher, 'fetch'>
  readonly leaseMargin: LeaseMargin
  readonly counters: Counters
  /** Content types that are fetched; all if empty. */
  readonly types: readonly string[]
  /** A sitemap may be longer than a page. */
  readonly sitemapBytes: number
  /** False if a reader may keep the body of a response. */
  readonly recycles: boolean
}

const STALLED: FetchResult = {
  ok: false,
  code: 'HEADERS_TOO_SLOW',
  detail: 'no answer before the phases swapped',
}

export class PageRequests {
  readonly #parts: PageRequestsParts

  constructor(parts: PageRequestsParts) {
    this.#parts = parts
  }

  /** Under `phases`, records when the request is sent; else null. */
  begunUnder({ pace: { gate } }: SiteCrawl): BegunRequest | null {
    return gate === null ? null : new BegunRequest(gate.gates, gate.mayBegin)
  }

  /** Aborts with the leases, with the window of the phase, or when the site is taken away. */
  signalOf({ pace: { gate }, requestAbort }: SiteCrawl): StopSignal {
    return gate === null ? requestAbort.signal(this.#parts.leaseMargin.signal) : gate.signal
  }

  /** For URLs that need no turn, and so no phase: aborts with the leases, or when the site is taken away. */
  leaseSignalOf({ requestAbort }: SiteCrawl): StopSignal {
    return requestAbort.signal(this.#parts.leaseMargin.signal)
  }

  send(
    site: SiteCrawl,
    entry: FrontierEntry,
    known: MetaInfo | undefined,
    begun: BegunRequest | null,
    until: StopSignal,
  ): Promise<FetchResult> {
    const { fetcher, counters, types, sitemapBytes, leaseMargin } = this.#parts
    const wantsPage = markOf(entry.url) === null
    site.requestBegan()
    counters.fetches++
    const request = {
      url: withoutMark(entry.url),
      known,
      types: wantsPage && types.length > 0 ? types : undefined,
      bodyBytes: wantsPage ? undefined : sitemapBytes,
      mayBegin: begun === null ? undefined : () => leaseMargin.holds && begun.mayBegin(),
      holdsBody: true,
    }
    return fetcher.fetch(request, until)
  }

  /**
   * The result to settle, or null if the request has to be sent again: the leases ended, or the window of the
   * phase left the server too little time to answer. If the site was taken away, its next turn never comes
   * and the URL stays queued.
   */
  resultOf(
    { pace: { gate } }: SiteCrawl,
    answer: FetchResult,
    begun: BegunRequest | null,
    until: StopSignal,
  ): FetchResult | null {
    const { leaseMargin } = this.#parts
    const isCut = !answer.ok && (until.aborted || !leaseMargin.holds || (begun !== null && gate?.isShut))
    if (!isCut) return answer
    if (!leaseMargin.holds || !begun?.wasFair) return null
    return until.aborted ? STALLED : answer
  }

  /** Call this when the response is settled: its memory is then used again. */
  release({ exchange }: FetchResult): void {
    exchange?.settled?.()
    if (this.#parts.recycles) exchange?.release?.()
  }
}

/** True for a 304 that names another version than the one we know: it says nothing about the page. */
export function isOfOtherVersion(result: FetchResult, known: MetaInfo): boolean {
  return result.ok && result.exchange.status === 304 && !confirms(result.exchange, known)
}
