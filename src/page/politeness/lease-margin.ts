/**
 * How long this agent may act on its leases and turns. Counted from before the renewal was sent, on the
 * monotonic and the wall clock, so that a suspended machine notices. New requests need a margin, and requests
 * in flight are aborted at the end of the leases, because the sites may then belong to another agent.
 */

import { type Cancel, type Clock, type Millis, Stop, type StopSignal, sleep } from '../../model/index.js'
import { LEASE_MARGIN_LOOK_MS } from '../limits.js'

/** Parts of a lease: no new request in the last sixth, no request in flight in the last thirtieth. */
const MARGIN = 1 / 6
const CUT = 1 / 30

/** The time just before a renewal is sent. */
export interface SendTime {
  readonly monotonic: Millis
  readonly wall: Millis
}

export class LeaseMargin {
  readonly #clock: Clock
  readonly #leaseMs: Millis
  readonly #stopping: StopSignal
  #sent: SendTime
  #period: Stop
  #cancel: Cancel = () => {}
  /** One wait shared by all: a thousand sites may wait for the same renewal. */
  #looking: Promise<void> | null = null

  /** A new incarnation has no leases yet, so its margin may begin now. */
  constructor(clock: Clock, leaseMs: Millis, stopping: StopSignal) {
    this.#clock = clock
    this.#leaseMs = leaseMs
    this.#stopping = stopping
    this.#period = this.#newPeriod()
    this.#sent = this.sending()
    stopping.addEventListener('abort', () => this.#cut(), { once: true })
  }

  sending(): SendTime {
    return { monotonic: this.#clock.monotonic(), wall: this.#clock.now() }
  }

  /**
   * The ledger has renewed all leases, as asked at `sent`. Cells missing from its answer are already marked
   * lost.
   */
  renew(sent: SendTime): void {
    this.#sent = sent
    if (this.#period.signal.aborted && !this.#stopping.aborted) this.#period = this.#newPeriod()
    this.#cancel()
    const left = this.#leaseMs * (1 - CUT) - (this.#clock.monotonic() - sent.monotonic)
    this.#cancel = this.#clock.after(Math.max(0, left), () => this.#cut())
  }

  end(): void {
    this.#cancel()
  }

  /** True while a request may be sent. */
  get holds(): boolean {
    const most = this.#leaseMs * (1 - MARGIN)
    const { monotonic, wall } = this.#sent
    return this.#clock.monotonic() - monotonic < most && this.#clock.now() - wall < most
  }

  /** How much longer requests may be in flight; a host that reads for this agent ends by then. */
  get leftMs(): Millis {
    const { monotonic, wall } = this.#sent
    const past = Math.max(this.#clock.monotonic() - monotonic, this.#clock.now() - wall)
    return Math.max(0, Math.floor(this.#leaseMs * (1 - CUT) - past))
  }

  /** For requests: aborts at the end of the leases, and when the agent stops. */
  get signal(): StopSignal {
    return this.#period.signal
  }

  /** Waits until a request may be sent; false if the agent stops or `isOver` returns true. */
  async held(isOver: () => boolean): Promise<boolean> {
    while (!this.holds && !this.#stopping.aborted && !isOver()) await this.#nextLook()
    return !this.#stopping.aborted && !isOver()
  }

  #nextLook(): Promise<void> {
    this.#looking ??= sleep(this.#clock, LEASE_MARGIN_LOOK_MS, this.#stopping).then(() => {
      this.#looking = null
    })
    return this.#looking
  }

  #cut(): void {
    this.#period.abort()
  }

  #newPeriod(): Stop {
    const period = new Stop()
    if (this.#stopping.aborted) period.abort()
    return period
  }
}
