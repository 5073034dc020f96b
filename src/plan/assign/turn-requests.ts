import type { WaitingCell } from '../../ledger/index.js'
import type { Clock, GroupId, Millis } from '../../model/index.js'
import { REQUEST_MS } from '../limits.js'

/**
 * The turns that agents request for a single request, such as a hop of robots.txt. While a turn is requested,
 * no cell of its group is granted: otherwise the turn would be taken again before the requester gets it.
 */
export class TurnRequests {
  readonly #clock: Clock
  readonly #until = new Map<GroupId, Millis>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  announce(groups: readonly GroupId[]): void {
    for (const group of groups) this.#until.set(group, this.#clock.monotonic() + REQUEST_MS)
  }

  /** Returns the cells whose turn nobody requests. */
  without(waiting: readonly WaitingCell[]): readonly WaitingCell[] {
    if (this.#until.size === 0) return waiting
    const now = this.#clock.monotonic()
    for (const [group, until] of this.#until) if (until <= now) this.#until.delete(group)
    return waiting.filter(({ group, turn }) => !this.#until.has(group) && !this.#until.has(turn))
  }
}
