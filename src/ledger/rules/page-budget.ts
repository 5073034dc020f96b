/**
 * The page limit: incarnations hold blocks of it, packs debit them, and closing an incarnation returns the
 * rest.
 *
 * Inside SQL: `debited` is part of the update that commits a pack, in both SQL backends.
 * `test/contract/rules-in-sql.test.ts` compares them.
 */
interface Limit {
  /** Null: there is no limit. */
  readonly maxPages: number | null
  /** Acknowledged so far. */
  readonly pages: number
  /** Other open incarnations that crawl, and the sum of their blocks. */
  readonly others: number
  readonly heldByOthers: number
}

interface Block {
  readonly granted: number
  /** All blocks, this one included: while it is above 0, more budget may come back. */
  readonly outstanding: number
}

/**
 * The block for an incarnation that says it has `held` pages left and wants `want` more. If others crawl as
 * well, it gets at most half of an even share, so that something is left for those who ask later.
 */
export function budgetBlock(limit: Limit, held: number, want: number): Block {
  const { maxPages, pages, others, heldByOthers } = limit
  if (maxPages === null) return { granted: want, outstanding: 0 }
  const free = Math.max(0, maxPages - pages - heldByOthers - held)
  const granted = Math.min(want, others > 0 ? Math.ceil(free / (2 * (others + 1))) : free)
  return { granted, outstanding: heldByOthers + held + granted }
}

/** What is left of a block when a pack with so many pages is committed. */
export function debited(budget: number, pages: number): number {
  return Math.max(0, budget - pages)
}
