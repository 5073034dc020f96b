/**
 * Passing turns on. An agent keeps the turn of a group as long as it has a site of it in hand; where others
 * have lanes that wait for it, it has the turn for a while yet, and then gives those sites back, at the tail
 * of the queue.
 */
import type { Clock, GroupId, Millis } from '../../model/index.js'

/** Sites that are given back are rebuilt later: a turn has to be worth that. */
export const KEEP_MS = 10_000
/** Who wants a turn says so every second; after this long without a word it is wanted no more. */
const FORGET_MS = 5_000
const NONE: ReadonlySet<GroupId> = new Set()

export class TurnDemand {
  readonly #clock: Clock
  readonly #wanted = new Map<GroupId, { readonly since: Millis; lastWantedAt: Millis }>()
  /** When turns were passed on: for a while those who waited for them come first. */
  readonly #passed = new Map<GroupId, Millis>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Others want these turns; returns those that have been kept for long enough. */
  due(
    groups: readonly GroupId[],
    keepMsOf: (group: GroupId) => Millis = () => KEEP_MS,
  ): ReadonlySet<GroupId> {
    if (groups.length === 0) return NONE
    const now = this.#clock.monotonic()
    for (const [group, { lastWantedAt }] of this.#wanted)
      if (now - lastWantedAt > FORGET_MS) this.#wanted.delete(group)
    for (const group of groups) {
      const known = this.#wanted.get(group)
      if (known) known.lastWantedAt = now
      else this.#wanted.set(group, { since: now, lastWantedAt: now })
    }
    const due = new Set(groups.filter(group => now - this.#wanted.get(group)!.since >= keepMsOf(group)))
    // They are passed on now: should they come back, they are kept anew.
    for (const group of due) {
      this.#wanted.delete(group)
      this.#passed.set(group, now)
    }
    return due
  }

  /** Whether others are to have the turn of a group next: of such a group nothing more is taken here. */
  isPassedOn(group: GroupId): boolean {
    if (this.#wanted.size === 0 && this.#passed.size === 0) return false
    const now = this.#clock.monotonic()
    for (const [passed, at] of this.#passed) if (now - at > FORGET_MS) this.#passed.delete(passed)
    return this.#passed.has(group) || now - (this.#wanted.get(group)?.lastWantedAt ?? -FORGET_MS) < FORGET_MS
  }
}
