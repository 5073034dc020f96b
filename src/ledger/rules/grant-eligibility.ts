/**
 * Which cells may be leased, and which are offered for leasing. Besides this a grant needs the turn of the
 * cell's group (`turn-claim.ts`).
 *
 * Inside SQL: `isOffered` filters the queue. `test/contract/rules-in-sql.test.ts` compares them.
 */
import type { CellState, Incarnation } from '../index.js'

/** A waiting cell may be leased to an open incarnation while the crawl is open. */
export function mayBeGranted(
  state: CellState | undefined,
  crawlOpen: boolean,
  incarnationOpen: boolean,
): boolean {
  return state === 'waiting' && crawlOpen && incarnationOpen
}

/**
 * A cell is offered to the incarnations in `eligible` unless the turn of its group is held by one that is
 * not among them. Without `eligible` every waiting cell is offered.
 */
export function isOffered(
  state: CellState,
  turnHolder: Incarnation | null,
  eligible: ReadonlySet<Incarnation> | null,
): boolean {
  return state === 'waiting' && (eligible === null || turnHolder === null || eligible.has(turnHolder))
}
