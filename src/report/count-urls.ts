/**
 * Counts the URLs of a crawl by reading its journals, so that the report states what is stored. Sets spill to
 * disk, so memory is bounded.
 */

import type { Ledger } from '../ledger/index.js'
import { isPage, type OutcomeCode, outcomeRule } from '../model/index.js'
import { type FrontierSpace, readJournal } from '../page/frontier/index.js'
import { SeenSet } from '../page/frontier/seen/index.js'
import type { KnownWeb, Truth } from './known-web.js'
import { COUNT_URLS_BATCH_BYTES } from './limits.js'

export interface UrlCounts {
  /** Distinct URLs that brought a page. */
  readonly pages: number
  /** Distinct URLs that were requested, with a recorded response or failure. */
  readonly asked: number
  /** Comparison with a known web; null if none was given. */
  readonly truth: Truth | null
}

export async function countUrls(
  ledger: Ledger,
  space: FrontierSpace,
  web: KnownWeb | null = null,
): Promise<UrlCounts> {
  const judge = web?.judge()
  const counts = { pages: 0, asked: 0 }
  const pages = new SeenSet(space.seen)
  const asked = new SeenSet(space.seen)
  /** URLs of the cell whose outcome was withdrawn and that have no new one: few at any moment. */
  const reopened = new Set<string>()
  const reader = {
    settled(low: number, high: number, code: OutcomeCode) {
      const isOpen = reopened.size > 0 && reopened.delete(`${low} ${high}`)
      if (isPage(code) && (pages.add(low, high) || isOpen)) {
        counts.pages++
        judge?.saw(low, high)
      }
      if (wasAsked(code) && asked.add(low, high)) counts.asked++
    },
    retried(low: number, high: number) {
      if (asked.add(low, high)) counts.asked++
    },
    reopened(low: number, high: number, code: OutcomeCode) {
      reopened.add(`${low} ${high}`)
      if (isPage(code)) counts.pages--
    },
  }
  let last = { cell: '', number: 0 }
  for (;;) {
    const batch = await ledger.readJournals(last, COUNT_URLS_BATCH_BYTES)
    if (batch.length === 0) break
    for (const { cell, number, journal } of batch) {
      // A URL belongs to one cell, so the sets are per cell.
      if (cell !== last.cell) {
        pages.close()
        asked.close()
        reopened.clear()
      }
      readJournal(journal, reader)
      last = { cell, number }
    }
  }
  pages.close()
  asked.close()
  return { ...counts, truth: judge?.truth() ?? null }
}

function wasAsked(code: OutcomeCode): boolean {
  return code === 'TYPE_NOT_WANTED' || outcomeRule(code).kind !== 'refused'
}
