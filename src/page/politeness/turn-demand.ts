/**
 * Passes turns on. An agent keeps a group's turn while it has an open site of the group. If lanes of other
 * agents wait for the turn, the agent keeps it a while longer and then returns those sites to the tail of the
 * queue.
 */

import type { Clock, GroupId, Millis } from '../../model/index.js'
import { KEEP_MS, TURN_DEMAND_FORGET_MS } from '../limits.js'

const NONE: ReadonlySet<GroupId> = new Set()

export class TurnDemand {
  readonly #clock: Clock
  readonly #wanted = new Map<GroupId, { readonly since: Millis; lastWantedAt: Millis }>()
  /** When turns were passed on: for a while, agents that waited for them have priority. */
  readonly #passed = new Map<GroupId, Millis>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Other agents want these turns; returns those that have been kept long enough. */
  due(
    groups: readonly GroupId[],
    keepMsOf: (group: GroupId) => Millis = () => KEEP_MS,
  ): ReadonlySet<GroupId> {
    if (groups.length === 0) return NONE
    const now = this.#clock.monotonic()
    for (const [group, { lastWantedAt }] of this.#wanted)
      if (now - lastWantedAt > TURN_DEMAND_FORGET_MS) this.#wanted.delete(group)
    for (const group of groups) {
      const known = this.#wanted.get(group)
      if (known) known.lastWantedAt = now
      else this.#wanted.set(group, { since: now, lastWantedAt: now })
    }
    const due = new Set(groups.filter(group => now - this.#wanted.get(group)!.since >= keepMsOf(group)))
    // They are passed on now; if they come back, they are kept anew.
    for (const group of due) {
      this.#wanted.delete(group)
      this.#passed.set(group, now)
    }
    return due
  }

  /** Whether other agents get the group's turn next, so that this agent takes none of its cells. */
  isPassedOn(group: GroupId): boolean {
    if (this.#wanted.size === 0 && this.#passed.size === 0) return false
    const now = this.#clock.monotonic()
    for (const [passed, at] of this.#passed) if (now - at > TURN_DEMAND_FORGET_MS) this.#passed.delete(passed)
    return (
      this.#passed.has(group) ||
      now - (this.#wanted.get(group)?.lastWantedAt ?? -TURN_DEMAND_FORGET_MS) < TURN_DEMAND_FORGET_MS
    )
  }
}
