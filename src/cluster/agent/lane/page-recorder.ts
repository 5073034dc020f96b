/** Puts what became of a URL into the open pack: its outcome, its row, and the exchange for the archive. */

import { payloadDigest } from '../../../data/store/warc/index.js'
import type { Clock, Exchange, MetaInfo, OutcomeCode } from '../../../model/index.js'
import type { FrontierEntry } from '../../../page/frontier/index.js'
import type { PageRules } from '../../../page/robots/index.js'
import { type FetchOutcome, isPage, type OpenPack } from '../pack/index.js'
import type { Counters, PageFaults, SiteCrawl } from '../site/index.js'
import { type Content, NO_CONTENT } from './content.js'
import { rowOf } from './outcome-row.js'

export interface PageRecorderParts {
  readonly clock: Clock
  readonly counters: Counters
  /** The pack that is filling. */
  readonly pack: () => OpenPack
  readonly faults: PageFaults
  /** What a page asks of robots, by its meta robots and its headers. */
  readonly pageRules: (metaRobots: string, exchange: Exchange) => PageRules
  /** False without archive and tables: then there is nothing to make a row for. */
  readonly keepsRows: boolean
}

export class PageRecorder {
  readonly #parts: PageRecorderParts

  constructor(parts: PageRecorderParts) {
    this.#parts = parts
  }

  /** The row comes first: where it throws, nothing has been said of the URL yet. */
  record(
    site: SiteCrawl,
    entry: FrontierEntry,
    outcome: FetchOutcome,
    content: Content,
    known?: MetaInfo,
  ): void {
    const { counters, clock, keepsRows } = this.#parts
    const { code, detail, exchange } = outcome
    const pack = this.#parts.pack()
    const bytes = exchange?.payload.length ?? 0
    if (keepsRows)
      pack.builder.add({
        leaseKey: site.leaseKey,
        row: rowOf(site.lane, entry, outcome, content, clock.now()),
        // noarchive: the row says that it was there, and the archive holds nothing of it.
        exchange: content.rules.archive ? exchange : null,
        revisit: content.revisit,
        links: content.links,
        inTables: !isService(code),
        changed: known && isPage(code) ? content.digest !== known.digest : undefined,
        otherBytes: isPage(code) ? 0 : bytes,
      })
    pack.cellFor(site).settled(entry, code, detail, exchange)
    if (isPage(code)) {
      counters.pages++
      site.traps.countPage()
    } else if (code === 'REDIRECT') counters.redirects++
    else if (!isService(code)) counters.errors++
    counters.bytes += bytes
  }

  /**
   * Settles a URL whose page threw. Links of it that were routed before stay: they are good. Its exchange is
   * archived unless `rules`, or its headers where those are not known, forbid it, or that throws too.
   */
  fail(
    site: SiteCrawl,
    entry: FrontierEntry,
    exchange: Exchange | null,
    rules: PageRules | null,
    error: unknown,
  ): void {
    const { faults, pageRules } = this.#parts
    const detail = faults.caught(entry.url, error)
    if (site.lost) return
    const failed: FetchOutcome = { code: 'INTERNAL_ERROR', detail, exchange, redirect: '' }
    if (entry.again) {
      const packCell = this.#parts.pack().cellFor(site)
      packCell.lookedAgain(entry, failed.code)
      packCell.note(failed.code, detail)
      return
    }
    try {
      const digest = exchange === null ? '' : payloadDigest(exchange.payload)
      const known = rules ?? (exchange === null ? NO_CONTENT.rules : pageRules('', exchange))
      this.record(site, entry, failed, { ...NO_CONTENT, digest, rules: known })
    } catch (second) {
      faults.caught(entry.url, second)
      this.record(site, entry, { ...failed, exchange: null }, NO_CONTENT)
    }
  }
}

/** What came is archived, but is no page and no failure to get one. */
export function isService(code: OutcomeCode): boolean {
  return code === 'SITEMAP' || code === 'PROBE'
}
