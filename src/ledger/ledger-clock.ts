/**
 * The ledger's time on a machine whose own clock may be wrong. Waits and leases are in ledger time; with a
 * wall clock that is ahead, an agent would send requests too early. Between heartbeats the time advances by
 * the monotonic clock.
 */
import type { Clock, Millis } from '../model/index.js'
import type { Ledger } from './ledger.js'
import { ledgerOfCalls } from './ledger-calls.js'
import type { Heartbeat } from './ledger-rows.js'
import type { Incarnation } from './pack-rows.js'

export class LedgerClock implements Clock {
  readonly #own: Clock
  /** Ledger time minus monotonic time. The delay of the answer makes this clock late, never early. */
  #offset: Millis = Number.NEGATIVE_INFINITY
  /** The duration of that heartbeat: this clock is late by at most so much. */
  #behindMs: Millis = 0

  /** Until the first heartbeat this is the machine's own clock. */
  constructor(own: Clock) {
    this.#own = own
  }

  /**
   * The error of this clock. Other agents may have more exact clocks, so a pause reported by this agent is
   * rounded up by its own error.
   */
  get grainMs(): Millis {
    return this.#own.grainMs + this.#behindMs
  }

  now(): Millis {
    return this.#offset === Number.NEGATIVE_INFINITY ? this.#own.now() : this.#own.monotonic() + this.#offset
  }

  monotonic(): Millis {
    return this.#own.monotonic()
  }

  after(delayMs: Millis, task: () => void): () => void {
    return this.#own.after(delayMs, task)
  }

  soon(task: () => void): void {
    this.#own.soon(task)
  }

  /** A ledger whose heartbeats set this clock. */
  setBy(ledger: Ledger): Ledger {
    const heartbeat = async (
      incarnation: Incarnation,
      leaseMs: Millis,
      status: string,
    ): Promise<Heartbeat> => {
      const sentAt = this.#own.monotonic()
      const beat = await ledger.heartbeat(incarnation, leaseMs, status)
      const offset = beat.now - this.#own.monotonic()
      if (offset > this.#offset) {
        this.#offset = offset
        this.#behindMs = this.#own.monotonic() - sentAt
      }
      return beat
    }
    return ledgerOfCalls(name => (name === 'heartbeat' ? heartbeat : ledger[name]) as Ledger[typeof name])
  }
}
