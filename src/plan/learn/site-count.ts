/** What the ledger has counted of a site in this crawl, as far as the next crawl learns from it. */
import type { SiteSummary } from '../../ledger/index.js'
import { type OutcomeCode, outcomeRule } from '../../model/index.js'

export interface SiteCount {
  readonly site: string
  readonly pages: number
  readonly bytes: number
  readonly fetchMs: number
  /** The number of pages that came without a body. */
  readonly notModified: number
  /** The queue is empty and most pages did not fail, so the counts replace those of the previous crawl. */
  readonly isWhole: boolean
}

/** Outcomes of all URLs of a site that is temporarily unavailable. */
const UNAVAILABLE: ReadonlySet<OutcomeCode> = new Set<OutcomeCode>([
  'SITE_DROPPED',
  'ROBOTS_UNAVAILABLE',
  'ROBOTS_GIVEN_UP',
])

/** Null for a site without requests. */
export function countOf(summary: SiteSummary): SiteCount | null {
  if (summary.lastFetch === 0) return null
  const { cell, state, pages, bytes, settled, discovered, outcomes } = summary
  let notModified = 0
  let failed = 0
  for (const { code, count } of outcomes) {
    if (code === 'NOT_MODIFIED') notModified += count
    if (isTemporary(code)) failed += count
  }
  return {
    site: cell,
    pages,
    bytes,
    fetchMs: Math.round(summary.fetchMs),
    notModified,
    // A waiting cell may have unread inbox rows, which are not counted yet.
    isWhole: isOver(state) && settled >= discovered && pages > 0 && failed <= pages,
  }
}

/** A closed cell was split; its pieces are counted with it. */
function isOver(state: SiteSummary['state']): boolean {
  return state === 'finished' || state === 'closed'
}

/** Whether the outcome is due to the server's state or the network, not to the page. */
function isTemporary(code: OutcomeCode): boolean {
  const { kind, strain } = outcomeRule(code)
  return kind === 'failed' || strain !== 'none' || UNAVAILABLE.has(code)
}
