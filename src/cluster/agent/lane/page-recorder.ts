/** Puts the outcome of a URL into the open pack, with its row and its exchange for the archive. */

import { payloadDigest } from '../../../data/store/warc/index.js'
import { type Clock, type Exchange, isPage, type MetaInfo, type OutcomeCode } from '../../../model/index.js'
import type { FrontierEntry } from '../../../page/frontier/index.js'
import { keptBy } from '../../../page/guest/index.js'
import type { PageRules } from '../../../page/robots/index.js'
import type { FetchOutcome, OpenPack } from '../pack/index.js'
import type { Counters, PageFaults, SiteCrawl } from '../site/index.js'
import { type Content, NO_CONTENT } from './content.js'
import { isShown, rowOf } from './outcome-row.js'

export interface PageRecorderParts {
  readonly clock: Clock
  readonly counters: Counters
  /** The pack that is filling. */
  readonly pack: () => OpenPack
  readonly faults: PageFaults
  /** What a page asks of robots, in its meta elements and headers. */
  readonly pageRules: (metaRobots: string, exchange: Exchange) => PageRules
  /** False without archive and tables: no rows are made then. */
  readonly keepsRows: boolean
}

export class PageRecorder {
  readonly #parts: PageRecorderParts

  constructor(parts: PageRecorderParts) {
    this.#parts = parts
  }

  /** Settles a URL without a request. */
  refuse(site: SiteCrawl, entry: FrontierEntry, code: OutcomeCode, detail: string): void {
    if (entry.again) this.#parts.pack().cellFor(site).lookedAgain(entry, code)
    else this.record(site, entry, { code, detail, exchange: null, redirect: '' }, NO_CONTENT)
  }

  /** Makes the row first: if that throws, the pack holds nothing of the URL yet. */
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
    const kept = keptBy(content.verdict ?? null)
    if (keepsRows)
      pack.builder.add({
        leaseKey: site.leaseKey,
        row: rowOf(site.lane.number, entry, outcome, content, clock.now()),
        // noarchive: the page has a row, and no record in the archive.
        exchange: content.rules.archive ? exchange : null,
        revisit: content.revisit,
        archives: kept.record === 'response',
        conversion: kept.record === 'conversion' ? content.conversion : null,
        links: kept.links ? content.links : null,
        // noindex: as with the page's words, the table of pages has nothing of it.
        items: kept.items && isShown(content.rules) ? content.items : undefined,
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
   * Settles a URL whose page caused an exception. Links that were routed before it stay. The exchange is
   * archived, unless that fails too, or the rules of the page or (if unknown) of its headers forbid it.
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

/** Archived, but neither a page nor a failure to get one. */
export function isService(code: OutcomeCode): boolean {
  return code === 'SITEMAP' || code === 'PROBE'
}
