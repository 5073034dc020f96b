/** The heartbeat of an agent: renews its leases, tells how it is, and brings what changed. */

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
  /** What the agent has to say of itself. */
  readonly status: () => LaneStatus
  readonly onBeat: (beat: Heartbeat, sent: SendTime) => void
  readonly onFailure: (error: Error) => void
  /** After every pause between two beats. */
  readonly onPause: () => void
}

export class HeartbeatLoop {
  readonly #parts: HeartbeatLoopParts
  readonly #pause: WakeUp

  constructor(parts: HeartbeatLoopParts) {
    this.#parts = parts
    this.#pause = new WakeUp(parts.clock)
  }

  async run(): Promise<void> {
    const { signal, leaseMargin, onBeat, onFailure, onPause, leaseMs } = this.#parts
    signal.addEventListener('abort', () => this.#pause.notify(), { once: true })
    while (!signal.aborted) {
      try {
        const sent = leaseMargin.sending()
        const beat = await this.#beat(this.#parts.status())
        if (!beat.incarnationOpen) throw new FencedError('the ledger has ended this incarnation')
        // What is lost is known before what is left counts as renewed.
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

  /** Does not wait for the next beat: something is known to have changed. */
  beatNow(): void {
    this.#pause.notify()
  }

  /** Its last words, then the end, in one commit. */
  async end(): Promise<void> {
    const { ledger, incarnation, status } = this.#parts
    const told = this.#beat(status()).catch(() => {})
    await ledger.leave(incarnation).catch(() => {})
    await told
  }

  #beat(status: LaneStatus): Promise<Heartbeat> {
    const { ledger, incarnation, leaseMs } = this.#parts
    return ledger.heartbeat(incarnation, leaseMs, JSON.stringify(status))
  }
}
