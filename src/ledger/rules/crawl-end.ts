/**
 * When a crawl ends, and why. Decided in TypeScript by every backend, in the transaction that closes the
 * crawl.
 */
import type { CellState, FinishReason } from '../index.js'

/** Missing states have no cells. */
type CellCounts = Readonly<Partial<Record<CellState, number>>>

/**
 * Null while the crawl goes on: a cell is leased or drains, or cells wait (or rest) and the page limit is
 * not reached. Parked cells do not keep it open.
 */
export function endOfCrawl(counts: CellCounts, pages: number, maxPages: number | null): FinishReason | null {
  const { leased = 0, draining = 0, parked = 0 } = counts
  if (leased > 0 || draining > 0) return null
  const waiting = (counts.waiting ?? 0) + (counts.resting ?? 0)
  const isFull = maxPages !== null && pages >= maxPages
  if (waiting > 0 && !isFull) return null
  if (waiting > 0) return 'limit'
  return parked > 0 ? 'parked' : 'done'
}
