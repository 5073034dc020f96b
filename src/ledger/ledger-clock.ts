/**
 * The ledger's time on a machine whose own clock may be wrong. Waits and leases are kept in ledger time; a
 * wall clock that is ahead would let an agent ask a site before its time has come. Between two heartbeats the
 * monotonic clock carries on.
 */
import type { Clock, Millis } from '../model/index.js'
import type { Ledger } from './ledger.js'
import { ledgerOfCalls } from './ledger-calls.js'
import type { Heartbeat } from './ledger-rows.js'
import type { Incarnation } from './pack-rows.js'

export class LedgerClock implements Clock {
  readonly #own: Clock
  /**
   * Ledger time minus monotonic time, as of the best heartbeat: never ahead, because the answer took its
   * time.
   */
  #offset: Millis = Number.NEGATIVE_INFINITY
  /** How far behind it may be: what that heartbeat took. */
  #behindMs: Millis = 0

  /** Until the first heartbeat the machine's own clock has to do. */
  constructor(own: Clock) {
    this.#own = own
  }

  /**
   * Others may be nearer to the ledger's time: a pause that they are told of must not look shorter to them.
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
