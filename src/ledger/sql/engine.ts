/** What the engines do in different ways, and the time of a call. */
import type { Millis } from '../../model/index.js'
import type { Steps } from './sql-steps.js'

/** The counters of the crawl: ranks before and after all others, and the numbers of grants. */
export type Counter = 'rank_head' | 'rank_tail' | 'grant_number'

export interface Engine {
  /** The ledger's time at the start of the transaction. */
  readonly now: Millis
  /** SQL: the server's timeline, which changes when a standby is promoted; null if there is only one. */
  readonly timeline: string | null
  /** SQL for the crawl row: the number of the last grant. */
  readonly lastGrant: string
  /** Draws `count` numbers of a counter, in rising order. */
  numbers(counter: Counter, count: number): Steps<number[]>
}
