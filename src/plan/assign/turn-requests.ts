/**
 * Turns that somebody needs for one request (a hop of a robots.txt). While that is being said, no site of
 * those groups is given to anybody: else the turn that its holder passes on would be gone again before it can
 * be had.
 */
import type { WaitingCell } from '../../ledger/index.js'
import type { Clock, GroupId, Millis } from '../../model/index.js'

/** It is said every second; some words are lost. */
const HEARD_MS = 3_000

export class TurnRequests {
  readonly #clock: Clock
  readonly #until = new Map<GroupId, Millis>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  announce(groups: readonly GroupId[]): void {
    for (const group of groups) this.#until.set(group, this.#clock.monotonic() + HEARD_MS)
  }

  /** The cells that are not held back. */
  without(waiting: readonly WaitingCell[]): readonly WaitingCell[] {
    if (this.#until.size === 0) return waiting
    const now = this.#clock.monotonic()
    for (const [group, until] of this.#until) if (until <= now) this.#until.delete(group)
    return waiting.filter(({ group, turn }) => !this.#until.has(group) && !this.#until.has(turn))
  }
}
