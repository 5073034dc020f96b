/** The heartbeat of an agent: renews its leases, tells how it is, and brings what changed. */
import type { Heartbeat, Incarnation, Ledger } from '../cluster/index.js'
import type { Clock } from '../model/clock.js'
import { Wake } from './wake.js'

/** How long a lease lasts without a heartbeat. */
export const LEASE_MS = 30_000
export const HEARTBEAT_MS = 1_000

export interface PulseParts {
  readonly clock: Clock
  readonly ledger: Ledger
  readonly incarnation: Incarnation
  readonly signal: AbortSignal
  /** What the agent has to say of itself, as JSON. */
  readonly status: () => string
  readonly onBeat: (beat: Heartbeat) => void
  readonly onFailure: (error: Error) => void
  /** After every pause between two beats. */
  readonly onPause: () => void
}

export class Pulse {
  readonly #parts: PulseParts

  constructor(parts: PulseParts) {
    this.#parts = parts
  }

  async run(): Promise<void> {
    const { clock, signal, onBeat, onFailure, onPause } = this.#parts
    const pause = new Wake(clock)
    signal.addEventListener('abort', () => pause.ring(), { once: true })
    while (!signal.aborted) {
      try {
        onBeat(await this.#beat())
      } catch (error) {
        onFailure(error as Error)
      }
      await pause.wait(HEARTBEAT_MS)
      onPause()
    }
  }

  /** Its last words, then the end, in one commit. */
  async end(): Promise<void> {
    const { ledger, incarnation } = this.#parts
    const told = this.#beat().catch(() => {})
    await ledger.leave(incarnation).catch(() => {})
    await told
  }

  #beat(): Promise<Heartbeat> {
    const { ledger, incarnation, status } = this.#parts
    return ledger.heartbeat(incarnation, LEASE_MS, status())
  }
}
