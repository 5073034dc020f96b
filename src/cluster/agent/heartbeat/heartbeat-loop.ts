/** The heartbeat of an agent: renews its leases, reports its status, and brings what changed. */

import type { LaneStatus } from '../../../bus/index.js'
import type { Heartbeat, Incarnation, Ledger } from '../../../ledger/index.js'
import { type Clock, type Millis, type StopSignal, WakeUp } from '../../../model/index.js'
import type { LeaseMargin, SendTime } from '../../../page/politeness/index.js'
import { FencedError } from '../pack/index.js'

/** How long a lease lasts without a heartbeat. */
export const LEASE_MS = 30_000
export const HEARTBEAT_MS = 1_000

export interface HeartbeatLoopParts {
  readonly clock: Clock
  readonly ledger: Ledger
  readonly incarnation: Incarnation
  readonly leaseMs: Millis
  readonly leaseMargin: LeaseMargin
  readonly signal: StopSignal
  readonly onFailure: (error: Error) => void
  /** Called after every pause between two heartbeats. */
  readonly onPause: () => void
}

export class HeartbeatLoop {
  readonly #parts: HeartbeatLoopParts
  readonly #pause: WakeUp

  constructor(parts: HeartbeatLoopParts) {
    this.#parts = parts
    this.#pause = new WakeUp(parts.clock)
  }

  async run(status: () => LaneStatus, onBeat: (beat: Heartbeat, sent: SendTime) => void): Promise<void> {
    const { signal, leaseMargin, onFailure, onPause, leaseMs } = this.#parts
    signal.addEventListener('abort', () => this.#pause.notify(), { once: true })
    while (!signal.aborted) {
      try {
        const sent = leaseMargin.sending()
        const beat = await this.#beat(status())
        if (!beat.incarnationOpen) throw new FencedError('the ledger has ended this incarnation')
        // Lost cells must be known before the other leases count as renewed.
        onBeat(beat, sent)
        leaseMargin.renew(sent)
      } catch (error) {
        onFailure(error as Error)
      }
      await this.#pause.wait(Math.min(HEARTBEAT_MS, leaseMs / 10))
      onPause()
    }
    leaseMargin.end()
  }

  /** Sends the next heartbeat at once. */
  beatNow(): void {
    this.#pause.notify()
  }

  /** Sends the last status and ends the incarnation. Sent together, both are one commit. */
  async end(status: () => LaneStatus): Promise<void> {
    const { ledger, incarnation } = this.#parts
    const reported = this.#beat(status()).catch(() => {})
    await ledger.leave(incarnation).catch(() => {})
    await reported
  }

  #beat(status: LaneStatus): Promise<Heartbeat> {
    const { ledger, incarnation, leaseMs } = this.#parts
    return ledger.heartbeat(incarnation, leaseMs, JSON.stringify(status))
  }
}
