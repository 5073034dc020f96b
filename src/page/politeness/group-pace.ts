/**
 * The politeness turn shared by the sites of a group: one request at a time, then a pause. Waiters form a
 * queue, and one timer wakes the first of them. Times are ledger (wall) time, because they outlive the
 * process.
 */
import { type Cancel, type Clock, type GroupId, LIMITS, type Millis } from '../../model/index.js'

/**
 * A waiter in the queue. `retry` is called when the turn is free; it takes the turn or joins another queue.
 */
export interface Waiter {
  retry(): void
}

export class GroupPace {
  readonly id: GroupId
  readonly #clock: Clock
  /** Requests allowed at once: connections per site. */
  readonly #most: () => number
  readonly #line = new Set<Waiter>()
  #nextAllowed: Millis = 0
  #spacingMs: Millis = 0
  #held = 0
  #takenAt: Millis = 0
  #reserved: Millis = 0
  #cancel: Cancel | null = null
  /** Open sites that belong to the group. */
  sites = 0
  /** The turn was taken by name, so it is released by name and not with a lease. */
  isNamed = false
  /** Redirect hops in flight to one of its sites, perhaps without a leased cell, that use its turn. */
  borrowers = 0
  /** Leased cells that are about to release their lease, and the turn with it. */
  leaving = 0
  /** Too many sites share it (a CDN), so it no longer limits anybody. */
  dissolved = false

  constructor(id: GroupId, clock: Clock, most: () => number) {
    this.id = id
    this.#clock = clock
    this.#most = most
  }

  get nextAllowed(): Millis {
    return this.#nextAllowed
  }

  /** The time between two waiters. */
  get spacingMs(): Millis {
    return this.#spacingMs
  }

  /** The time at which a new waiter would get the turn. */
  expectedAt(now: Millis): Millis {
    if (this.dissolved) return now
    return Math.max(now, this.#nextAllowed) + this.#line.size * this.#spacingMs
  }

  /** Never shortens a known wait. */
  postpone(until: Millis): void {
    if (until > this.#nextAllowed) this.#nextAllowed = until
  }

  isFree(now: Millis): boolean {
    return this.dissolved || this.#freeAt() <= now
  }

  /** Takes the turn until `release`. The next request waits at least `delayMs`. */
  take(now: Millis, delayMs: Millis): void {
    this.#held++
    this.#takenAt = now
    this.#spacingMs = delayMs
    this.#reserved = now + delayMs
    this.postpone(this.#reserved)
  }

  /** Ends the request. */
  release(nextAllowed: Millis): void {
    this.#held--
    // The reservation for an unanswered request ends with it: the delay may have been lowered meanwhile.
    if (this.#nextAllowed === this.#reserved) this.#nextAllowed = nextAllowed
    else this.postpone(nextAllowed)
    if (this.#line.size > 0) this.serveAgain()
  }

  join(waiter: Waiter): void {
    this.#line.add(waiter)
    if (this.#cancel === null) this.#serve()
  }

  leave(waiter: Waiter): void {
    this.#line.delete(waiter)
    if (this.#line.size > 0) return
    this.#cancel?.()
    this.#cancel = null
  }

  /** The delay was lowered: from now on nobody waits longer than the new one. */
  ease(delayMs: Millis): void {
    this.#nextAllowed = Math.min(this.#nextAllowed, this.#clock.now() + delayMs)
    this.serveAgain()
  }

  /** Call after a change that may free the turn: more connections, a shorter delay, a dissolved group. */
  serveAgain(): void {
    this.#cancel?.()
    this.#cancel = null
    this.#serve()
  }

  /**
   * A request without an answer holds the turn for a limited time: one host that hangs is not its whole
   * domain.
   */
  #freeAt(): Millis {
    if (this.#held < this.#most()) return this.#nextAllowed
    return Math.max(this.#nextAllowed, this.#takenAt + LIMITS.turnHoldMs)
  }

  /** Serves waiters while the turn is free, then sets a timer for the next possible moment. */
  #serve(): void {
    const now = this.#clock.now()
    for (const waiter of this.#line) {
      if (!this.isFree(now)) break
      this.#line.delete(waiter)
      waiter.retry()
    }
    if (this.#line.size === 0 || this.#cancel !== null) return
    const waitMs = Math.min(this.#freeAt() - now, LIMITS.timerMs)
    this.#cancel = this.#clock.after(Math.ceil(waitMs), () => {
      this.#cancel = null
      this.#serve()
    })
  }
}
