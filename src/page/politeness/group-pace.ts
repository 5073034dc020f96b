/**
 * The politeness turn that the sites of a group share: one request at a time, and a pause after it. Who has
 * to wait stands in line; one timer wakes the first of them, however many there are. Times are ledger (wall)
 * time: they outlive the process.
 */
import { type Cancel, type Clock, type GroupId, LIMITS, type Millis } from '../../model/index.js'

/** Somebody in line. `retry` is called when the turn is free: it takes it, or stands in another line. */
export interface Waiter {
  retry(): void
}

export class GroupPace {
  readonly id: GroupId
  readonly #clock: Clock
  /** Requests that may be under way at once: connections per site. */
  readonly #most: () => number
  readonly #line = new Set<Waiter>()
  #nextAllowed: Millis = 0
  #spacingMs: Millis = 0
  #held = 0
  #takenAt: Millis = 0
  #reserved: Millis = 0
  #cancel: Cancel | null = null
  /** Sites in hand that belong to it. */
  sites = 0
  /** Its turn was taken by name, and has to be given back by name: no lease does it. */
  isNamed = false
  /** Hops under way to one of its sites, whose cell may not be in hand: they need its turn. */
  borrowers = 0
  /** Cells in hand that are about to give their lease back, and the turn with it. */
  leaving = 0
  /** Too many sites turned out to share it (a CDN): it holds nobody up any more. */
  dissolved = false

  constructor(id: GroupId, clock: Clock, most: () => number) {
    this.id = id
    this.#clock = clock
    this.#most = most
  }

  get nextAllowed(): Millis {
    return this.#nextAllowed
  }

  /** What the line moves by. */
  get spacingMs(): Millis {
    return this.#spacingMs
  }

  /** When somebody who came now would have the turn. */
  expectedAt(now: Millis): Millis {
    if (this.dissolved) return now
    return Math.max(now, this.#nextAllowed) + this.#line.size * this.#spacingMs
  }

  /** Never shortens a wait that is already known. */
  postpone(until: Millis): void {
    if (until > this.#nextAllowed) this.#nextAllowed = until
  }

  isFree(now: Millis): boolean {
    return this.dissolved || this.#freeAt() <= now
  }

  /** Takes the turn until `release`; whoever comes meanwhile waits at least `delayMs`. */
  take(now: Millis, delayMs: Millis): void {
    this.#held++
    this.#takenAt = now
    this.#spacingMs = delayMs
    this.#reserved = now + delayMs
    this.postpone(this.#reserved)
  }

  /** The request is over. */
  release(nextAllowed: Millis): void {
    this.#held--
    // What was reserved for want of an answer counts no more, should the delay have been lowered since.
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

  /** The delay was lowered: what is left of the old one counts no more than the new one from now on. */
  ease(delayMs: Millis): void {
    this.#nextAllowed = Math.min(this.#nextAllowed, this.#clock.now() + delayMs)
    this.serveAgain()
  }

  /** What holds people up has changed: more connections, a shorter delay, no group any more. */
  serveAgain(): void {
    this.#cancel?.()
    this.#cancel = null
    this.#serve()
  }

  /**
   * A request that is silent for long does not hold the others up: one host that hangs is not its whole
   * domain.
   */
  #freeAt(): Millis {
    if (this.#held < this.#most()) return this.#nextAllowed
    return Math.max(this.#nextAllowed, this.#takenAt + LIMITS.turnHoldMs)
  }

  /** Calls the first in line as long as the turn is free; then waits for the next moment it can be. */
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
