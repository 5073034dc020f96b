/** What the ledger has counted of a site in this crawl, as far as something is learned from it. */
import type { SiteSummary } from '../../ledger/index.js'
import { type OutcomeCode, outcomeRule } from '../../model/index.js'

export interface SiteCount {
  readonly site: string
  readonly pages: number
  readonly bytes: number
  readonly fetchMs: number
  /** Among the pages, those that came without a body. */
  readonly notModified: number
  /**
   * Nothing is left in a queue, and not most of it failed: what an earlier crawl knew of the site is out of
   * date.
   */
  readonly isWhole: boolean
}

/** What befalls every URL of a site that is not well today. */
const UNWELL: ReadonlySet<OutcomeCode> = new Set<OutcomeCode>([
  'SITE_DROPPED',
  'ROBOTS_UNAVAILABLE',
  'ROBOTS_GIVEN_UP',
])

/** Null for a site that nobody asked for anything. */
export function countOf(summary: SiteSummary): SiteCount | null {
  if (summary.lastFetch === 0) return null
  const { cell, state, pages, bytes, settled, discovered, outcomes } = summary
  let notModified = 0
  let failed = 0
  for (const { code, count } of outcomes) {
    if (code === 'NOT_MODIFIED') notModified += count
    if (isOfToday(code)) failed += count
  }
  return {
    site: cell,
    pages,
    bytes,
    fetchMs: Math.round(summary.fetchMs),
    notModified,
    // What still waits may have an inbox that nobody has read: its rows are not counted yet.
    isWhole: isOver(state) && settled >= discovered && pages > 0 && failed <= pages,
  }
}

/** `closed`: it was split, and its cells are told with it. */
function isOver(state: SiteSummary['state']): boolean {
  return state === 'finished' || state === 'closed'
}

/** Says something of the server's state or of the network, nothing of the page. */
function isOfToday(code: OutcomeCode): boolean {
  const { kind, strain } = outcomeRule(code)
  return kind === 'failed' || strain !== 'none' || UNWELL.has(code)
}
