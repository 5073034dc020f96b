/**
 * Under `phases` the clock decides who may send requests to a host, not its turn (K4, K5): a site is open
 * only in the windows of its phase and the cell's shard. Requests in flight at the end of a window are
 * aborted.
 */

import type { Ledger } from '../../ledger/index.js'
import {
  type Cancel,
  type Clock,
  type Grouping,
  type Millis,
  Stop,
  type StopSignal,
} from '../../model/index.js'
import type { Site } from '../../model/url/index.js'
import type { GroupPace } from './group-pace.js'
import type { LeaseMargin, SendTime } from './lease-margin.js'
import { PhaseGate } from './phase-gate.js'
import {
  PhaseClock,
  type PhasePlan,
  type PhaseWindow,
  periodAt,
  phaseOf,
  usableMs,
  windowFor,
  windowOf,
} from './phases/index.js'

/**
 * Windows without guard; requests in flight survive the swap; the first request after a swap does not wait.
 */
export type PhaseMistake = 'no-guard' | 'no-cut' | 'no-swap-wait'

export interface PhaseGatesParts {
  readonly plan: PhasePlan
  readonly clock: Clock
  /** The machine's wall clock. */
  readonly wall: () => Millis
  /** Only for tests: the error of this agent's phase clock. */
  readonly skewMs?: Millis | undefined
  /** Only for the simulator, which must notice it. */
  readonly mistake?: PhaseMistake | undefined
  readonly ledger: Ledger
  readonly leaseMargin: LeaseMargin
  readonly grouping: Grouping
  readonly leaseMs: Millis
  readonly onFailure: (error: Error) => void
}

/** A measurement of the ledger time is valid for this part of a lease. */
const MEASURE_LEASES = 1 / 2
/** A site whose pause exceeds this part of a window reports to the ledger in each window with requests. */
const SLOW_SHARE = 1 / 2
/** A request aborted after this part of a window counts as the server's failure. */
const FAIR_SHARE = 1 / 4

export class PhaseGates {
  readonly plan: PhasePlan
  readonly slowMs: Millis
  readonly #fairMs: Millis
  readonly #maxAgeMs: Millis
  readonly #parts: PhaseGatesParts
  readonly #time: PhaseClock
  #cutter = new Stop()
  #period = Number.NEGATIVE_INFINITY
  #cancel: Cancel = () => {}
  /** The last window was ended too late, because this process was suspended and received no answers. */
  #wasLate = false
  /** On the monotonic clock. */
  #cutAt: Millis = Number.POSITIVE_INFINITY
  #tied: StopSignal | null = null

  constructor(parts: PhaseGatesParts) {
    const { plan, clock, wall, skewMs, leaseMs, mistake } = parts
    this.#parts = parts
    this.plan = mistake === 'no-guard' ? { ...plan, guardMs: 0, drainMs: 0 } : plan
    this.slowMs = usableMs(plan) * SLOW_SHARE
    this.#fairMs = usableMs(plan) * FAIR_SHARE
    this.#maxAgeMs = leaseMs * MEASURE_LEASES
    const monotonic = () => clock.monotonic()
    const { guardMs } = plan
    this.#time = new PhaseClock({ monotonic, wall, guardMs, maxAgeMs: this.#maxAgeMs, skewMs })
  }

  /** Handles the answer to a heartbeat. */
  measured(sent: SendTime, now: Millis): void {
    if (!this.#time.measured(sent.monotonic, now)) this.#cutter.abort()
    const at = this.now()
    const isAhead = !this.#cutter.signal.aborted && this.monotonic() < this.#cutAt
    if (at !== null && isAhead) this.#aim(this.#cutter, at)
  }

  /** Ledger time; null while it is not known for certain. */
  now(): Millis | null {
    return this.#time.now()
  }

  /** Callers keep the result: hashing a name takes a while. */
  phaseOf(site: Site): number {
    return phaseOf(site, this.#parts.grouping, this.plan)
  }

  windowOf(phase: number, shard: number, at: Millis): PhaseWindow {
    return windowFor(this.plan, shard, phase, at, this.#time.doubtMs())
  }

  /** True while a request of that shard to that phase may begin. */
  isOpen(phase: number, shard: number): boolean {
    const at = this.now()
    return at !== null && this.#parts.leaseMargin.holds && this.windowOf(phase, shard, at).opensAt <= at
  }

  /** True if the server had enough of the window to answer a request begun at `beganAt`. */
  wasFair(beganAt: Millis): boolean {
    const { clock } = this.#parts
    return !this.#wasLate && clock.monotonic() - beganAt >= this.#fairMs
  }

  monotonic(): Millis {
    return this.#parts.clock.monotonic()
  }

  /** False only in the simulator. */
  get waitsAfterSwap(): boolean {
    return this.#parts.mistake !== 'no-swap-wait'
  }

  gateOf(site: Site, shard: number, groups: readonly GroupPace[]): PhaseGate {
    return new PhaseGate(this, this.#parts, site, shard, groups)
  }

  /** For requests: aborts at the end of the window, at the end of the leases, and when the agent stops. */
  get signal(): StopSignal {
    const at = this.now()
    const period = at === null ? Number.NEGATIVE_INFINITY : periodAt(this.plan, at)
    if (period !== this.#period || this.#cutter.signal.aborted) this.#newCutter(period, at)
    return this.#cutter.signal
  }

  #newCutter(period: number, at: Millis | null): void {
    const { leaseMargin } = this.#parts
    if (!this.#cutter.signal.aborted) this.#cut(this.#cutter, this.#cutAt)
    const cutter = new Stop()
    this.#cutter = cutter
    this.#period = period
    if (leaseMargin.signal !== this.#tied) {
      this.#tied = leaseMargin.signal
      this.#tied.addEventListener('abort', () => this.#cutter.abort(), { once: true })
    }
    this.#aim(cutter, leaseMargin.signal.aborted ? null : at)
  }

  /** Sets the timer for the end of the window; the next measurement corrects it. */
  #aim(cutter: Stop, at: Millis | null): void {
    const { clock } = this.#parts
    this.#cancel()
    const doubtMs = this.#time.doubtMs(Math.min(this.plan.periodMs, this.#maxAgeMs))
    const leftMs = at === null ? 0 : windowOf(this.plan, this.#period, doubtMs).cutAt - at
    const cutAt = clock.monotonic() + leftMs
    this.#cutAt = cutAt
    if (leftMs <= 0) cutter.abort()
    else if (this.#parts.mistake !== 'no-cut')
      this.#cancel = clock.after(leftMs, () => this.#cut(cutter, cutAt))
  }

  /** Called by the timer, which may be late, or before the next window. */
  #cut(cutter: Stop, cutAt: Millis): void {
    this.#wasLate = this.#parts.clock.monotonic() - cutAt > this.plan.guardMs
    cutter.abort()
  }

  end(): void {
    this.#cancel()
  }
}

/** A request in a window: whether it was sent, and whether the server had time to answer. */
export class BegunRequest {
  readonly #gates: PhaseGates
  readonly #isOpen: () => boolean
  #at: Millis | null = null

  constructor(gates: PhaseGates, isOpen: () => boolean) {
    this.#gates = gates
    this.#isOpen = isOpen
  }

  mayBegin(): boolean {
    if (!this.#isOpen()) return false
    this.#at = this.#gates.monotonic()
    return true
  }

  get isBegun(): boolean {
    return this.#at !== null
  }

  get wasFair(): boolean {
    return this.#at !== null && this.#gates.wasFair(this.#at)
  }
}
